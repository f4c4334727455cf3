#include "harness/device/cuda/run/packing.h"

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

/// What the driver was asked to encode last.
struct Encoded {
  int type = -1, swizzle = -1, promotion = -1;
  std::uint64_t address = 0;
  std::vector<unsigned long long> extents, strides;
  std::vector<unsigned int> box;
} encoded;

Status encode(TensorMapBits* bits, int type, unsigned int rank, void* address, const unsigned long long* extents,
              const unsigned long long* strides, const unsigned int* box, const unsigned int*, int, int swizzle,
              int promotion, int) {
  encoded = {type,
             swizzle,
             promotion,
             reinterpret_cast<std::uint64_t>(address),
             {extents, extents + rank},
             {strides, strides + rank - 1},
             {box, box + rank}};
  bits->word[0] = encoded.address;
  return kSuccess;
}

struct PackingFixture {
  DriverApi api;
  Problem problem;
  ImageLayout layout{4096, {{"x", 256, 64}, {"work", 1024, 64}}, {}};
  Launch launch;

  PackingFixture() {
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
  PackedArguments pack() { return pack_arguments(api, launch, problem, layout, 0x10000); }
};

}  // namespace

TEST_CASE("pointers are addresses within the image, absent arguments null, scalars and structs their bytes") {
  PackingFixture f;
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
  PackingFixture f;
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
  PackingFixture f;
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

TEST_CASE("unknown names are refused") {
  PackingFixture f;
  f.launch.args = {NamedArgument{"nothing"}};
  REQUIRE_THROWS_WITH(f.pack(), "no argument or workspace is named 'nothing'.");
}

TEST_CASE("a tensor map is encoded for the address that its tensor has now, innermost dimension first") {
  PackingFixture f;
  const TensorMap keys{"x", Dtype::bf16, {3, 5, 64}, {640, 128, 1}, {1, 4, 64}, "128b", "256b"};
  f.launch.args = {keys};
  REQUIRE_THROWS_AS(f.pack(), NotSupported);  // an old driver
  f.api.cuTensorMapEncodeTiled = encode;
  REQUIRE(f.pack().at(0).size() == 128);
  REQUIRE(encoded.address == 0x10000 + 256);
  REQUIRE(encoded.type == kTensorMapBf16);
  REQUIRE(encoded.swizzle == kTensorMapSwizzle128);
  REQUIRE(encoded.promotion == kTensorMapPromotion256);
  REQUIRE(encoded.extents == std::vector<unsigned long long>{64, 5, 3});
  REQUIRE(encoded.strides == std::vector<unsigned long long>{256, 1280});
  REQUIRE(encoded.box == std::vector<unsigned int>{64, 4, 1});

  f.problem.arguments[3].of = "x";  // declared in the contract
  f.problem.arguments[3].dtype = Dtype::f32;
  f.problem.arguments[3].shape = {4, 8};
  f.problem.arguments[3].strides = {8, 1};
  f.problem.arguments[3].map = {{"box", {4, 8}}};
  f.launch.args = {NamedArgument{"map"}};
  REQUIRE(f.pack().at(0).size() == 128);
  REQUIRE(encoded.swizzle == 0);

  TensorMap wide = keys;
  wide.box = {1, 4, 128};
  f.launch.args = {wide};
  REQUIRE_THROWS_WITH(f.pack(),
                      "the tensor map of 'x' has a box whose rows of 256 bytes exceed the swizzle's span of 128.");
}

TEST_CASE("arguments that do not match the compiled parameters are refused with both lists") {
  PackingFixture f;
  f.launch.args = {NamedArgument{"x"}, ScalarArgument{Dtype::s32, std::int64_t{1}}};
  const PackedArguments packed = f.pack();
  REQUIRE_NOTHROW(check_parameters("k", packed, {8, 4}));
  REQUIRE_THROWS_WITH(check_parameters("k", packed, {8, 8}),
                      "k takes 2 parameters of [8, 8] bytes, but the plan passes 2 of [8, 4] bytes.");
  REQUIRE_THROWS_AS(check_parameters("k", packed, {8, 4, 4}), LaunchRefused);
}
