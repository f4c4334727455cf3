#include "harness/device/cuda/packing.h"

#include <catch2/catch.hpp>
#include <cstring>

#include "harness/core/device.h"

using namespace harness;
using namespace harness::cuda;

namespace {

template <typename T>
T as(const std::vector<std::byte>& bytes) {
  REQUIRE(bytes.size() == sizeof(T));
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

struct Fixture {
  Problem problem;
  ImageLayout layout{4096, {{"x", 256, 64}, {"work", 1024, 64}}, {}};
  Launch launch;

  Fixture() {
    Argument eps, pair, gone, map;
    eps.name = "eps";
    eps.kind = ArgumentKind::scalar;
    eps.dtype = Dtype::f16;
    eps.value = 1.5;
    pair.name = "pair";
    pair.kind = ArgumentKind::structure;
    pair.struct_bytes = 16;
    pair.fields = {{"n", Dtype::s32, std::int64_t{-7}, 0}, {"scale", Dtype::f64, 0.25, 8}};
    gone.name = "gone";
    gone.absent = true;
    map.name = "map";
    map.kind = ArgumentKind::tensor_map;
    problem.arguments = {eps, pair, gone, map};
    launch.entry = "k";
  }
  PackedArguments pack() { return pack_arguments(launch, problem, layout, 0x10000); }
};

}  // namespace

TEST_CASE("pointers are addresses within the image, absent arguments null, scalars and structs their bytes") {
  Fixture f;
  f.launch.args = {NamedArgument{"x", 8}, NamedArgument{"work"}, NamedArgument{"gone"}, NamedArgument{"eps"},
                   NamedArgument{"pair"}};
  const PackedArguments packed = f.pack();
  CHECK(as<std::uint64_t>(packed[0]) == 0x10000 + 256 + 8);
  CHECK(as<std::uint64_t>(packed[1]) == 0x10000 + 1024);
  CHECK(as<std::uint64_t>(packed[2]) == 0);
  CHECK(as<std::uint16_t>(packed[3]) == 0x3e00);  // 1.5 in half precision
  struct Pair {
    std::int32_t n;
    double scale;
  };
  CHECK(as<Pair>(packed[4]).n == -7);
  CHECK(as<Pair>(packed[4]).scale == 0.25);
}

TEST_CASE("scalars of every width keep their value exactly") {
  Fixture f;
  const std::int64_t large = (std::int64_t{1} << 62) + 1;  // no double holds it
  f.launch.args = {ScalarArgument{Dtype::s64, large}, ScalarArgument{Dtype::u8, std::int64_t{255}},
                   ScalarArgument{Dtype::s16, -32768.0}, ScalarArgument{Dtype::f32, std::int64_t{3}},
                   ScalarArgument{Dtype::b8, true}};
  const PackedArguments packed = f.pack();
  CHECK(as<std::int64_t>(packed[0]) == large);
  CHECK(as<std::uint8_t>(packed[1]) == 255);
  CHECK(as<std::int16_t>(packed[2]) == -32768);
  CHECK(as<float>(packed[3]) == 3.0f);
  CHECK(as<std::uint8_t>(packed[4]) == 1);
}

TEST_CASE("a value that its type cannot hold is refused by name") {
  Fixture f;
  f.launch.args = {ScalarArgument{Dtype::s32, std::int64_t{3000000000}}};
  REQUIRE_THROWS_WITH(f.pack(), "argument 1 of k: 3000000000 is no value of type s32.");
  f.launch.args = {ScalarArgument{Dtype::u32, std::int64_t{-1}}};
  REQUIRE_THROWS_AS(f.pack(), LaunchRefused);
  f.launch.args = {ScalarArgument{Dtype::s32, 1.5}};
  REQUIRE_THROWS_AS(f.pack(), LaunchRefused);
  f.launch.args = {ScalarArgument{Dtype::f32, std::string("x")}};
  REQUIRE_THROWS_AS(f.pack(), LaunchRefused);
  f.problem.arguments[1].fields[1].offset = 9;
  f.launch.args = {NamedArgument{"pair"}};
  REQUIRE_THROWS_WITH(f.pack(), "field 'scale' of 'pair' lies outside of its 16 bytes.");
}

TEST_CASE("unknown names are refused, tensor maps not supported") {
  Fixture f;
  f.launch.args = {NamedArgument{"nothing"}};
  REQUIRE_THROWS_WITH(f.pack(), "no argument or workspace is named 'nothing'.");
  f.launch.args = {NamedArgument{"map"}};
  REQUIRE_THROWS_AS(f.pack(), NotSupported);
}

TEST_CASE("arguments that do not match the compiled parameters are refused with both lists") {
  Fixture f;
  f.launch.args = {NamedArgument{"x"}, ScalarArgument{Dtype::s32, std::int64_t{1}}};
  const PackedArguments packed = f.pack();
  REQUIRE_NOTHROW(check_parameters("k", packed, {8, 4}));
  REQUIRE_THROWS_WITH(check_parameters("k", packed, {8, 8}),
                      "k takes 2 parameters of [8, 8] bytes, but the plan passes 2 of [8, 4] bytes.");
  REQUIRE_THROWS_AS(check_parameters("k", packed, {8, 4, 4}), LaunchRefused);
}
