#include "harness/device/cuda/run/filled_constants.h"

#include <catch2/catch.hpp>
#include <cstring>

using namespace harness;
using namespace harness::cuda;

namespace {

/// A device whose memory is the host's.
DriverApi host_memory() {
  DriverApi api;
  api.cuMemcpyHtoDAsync_v2 = [](DevicePointer to, const void* from, std::size_t bytes, Stream) -> Status {
    return std::memcpy(reinterpret_cast<void*>(to), from, bytes), kSuccess;
  };
  api.cuMemcpyDtoHAsync_v2 = [](void* to, DevicePointer from, std::size_t bytes, Stream) -> Status {
    return std::memcpy(to, reinterpret_cast<const void*>(from), bytes), kSuccess;
  };
  api.cuMemcpyDtoDAsync_v2 = [](DevicePointer to, DevicePointer from, std::size_t bytes, Stream) -> Status {
    return std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes), kSuccess;
  };
  api.cuStreamSynchronize = [](Stream) -> Status { return kSuccess; };
  return api;
}

struct FilledFixture {
  DriverApi api = host_memory();
  float image[4] = {0, 10, 20, 30};  // the argument begins at its second element
  float table[4] = {1, 2, 3, 4};
  int count = 0;
  LoadedModule module;
  Executable executable;

  FilledFixture() {
    module.constants["table"] = {reinterpret_cast<DevicePointer>(table), sizeof table};
    module.constants["count"] = {reinterpret_cast<DevicePointer>(&count), sizeof count};
    executable.problem.arguments.push_back({.name = "w"});
    executable.problem.arguments.push_back(
        {.name = "n", .kind = ArgumentKind::scalar, .dtype = Dtype::s32, .value = std::int64_t{7}});
    executable.layout.buffers.push_back({.name = "w", .offset = 4, .bytes = 12});
  }
  FilledConstants filled(std::vector<ConstantTable> constants) {
    executable.plan.constants = std::move(constants);
    return {api, module, executable};
  }
  DevicePointer base() { return reinterpret_cast<DevicePointer>(image); }
};

}  // namespace

TEST_CASE("variables of a module are filled from the image and from numbers, and must stay so") {
  FilledFixture f;
  FilledConstants filled = f.filled({{"table", "w"}, {"count", "n"}});
  filled.fill(nullptr, f.base());
  CHECK(std::vector<float>(f.table, f.table + 4) == std::vector<float>{10, 20, 30, 4});
  CHECK(f.count == 7);
  f.image[1] = 11;  // what a launch does to the image is no business of the variable
  REQUIRE_NOTHROW(filled.check(nullptr));
  f.table[3] = 5;  // behind what was filled
  REQUIRE_THROWS_WITH(filled.check(nullptr),
                      "illegal_access: a launch has changed table, which is __constant__ memory");
}

TEST_CASE("a variable that the module lacks or that is too small is no launch") {
  FilledFixture f;
  REQUIRE_THROWS_WITH(f.filled({{"other", "w"}}), "the module has no __constant__ variable 'other'.");
  REQUIRE_THROWS_WITH(f.filled({{"count", "w"}}), "count has 4 bytes and is filled from 'w', which has 12.");
}
