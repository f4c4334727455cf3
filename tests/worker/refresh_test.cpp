#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <set>

#include "harness/device/cpu/compile/compiler.h"
#include "harness/device/cpu/session.h"
#include "harness/device/cuda/run/input_sets.h"
#include "harness/device/cuda/run/refresh_source.h"
#include "harness/judge/rotate.h"
#include "tests/judge/launched.h"
#include "tests/support/program.h"

// The device code that refreshes input sets, run by the cpu device, against what the judge takes it to do.
using namespace harness;
using namespace harness::judge;

namespace {

constexpr std::int64_t kStride = 8192, kImages = 2, kSets = 5;

/// One image for the kernel: pristine images, sets, table of rotations, table of relocations.
struct Refreshing {
  tests::Scratch scratch;
  CpuCompiler compiler{scratch.path("cache"), std::string(HARNESS_SOURCE_DIR) + "/harness/device/cpu/guest"};
  CpuSession session{2};
  Executable executable;
  std::vector<std::byte> memory;

  Refreshing(const std::vector<std::vector<std::byte>>& images, const ImageLayout& layout) {
    const auto built = compiler.build({"refresh.cu", cuda::kRefreshSource, {"harness_refresh", "harness_relocate"}});
    if (const auto* failure = std::get_if<CompileFailure>(&built)) FAIL(failure->log);
    executable.artifact = std::get<Artifact>(built);
    std::vector<std::int64_t> rotations, relocations;
    for (const ImageBuffer& b : layout.buffers) {
      if (b.rows > 1) rotations.insert(rotations.end(), {b.offset, b.unit_bytes, b.row_bytes, b.rows});
    }
    for (const Relocation& r : layout.relocations) relocations.insert(relocations.end(), {r.at, r.target});
    const std::int64_t sets = kImages * kStride, tables = sets + kSets * kStride;
    executable.layout = {tables + 2 * kStride,
                         {{"pristine", 0, sets},
                          {"sets", sets, kSets * kStride},
                          {"rotations", tables, kStride},
                          {"relocations", tables + kStride, kStride}},
                         {}};
    memory.assign(static_cast<std::size_t>(executable.layout.bytes), std::byte{0x5a});
    for (std::int64_t k = 0; k < kImages; ++k) std::ranges::copy(images[k], memory.begin() + k * kStride);
    std::memcpy(memory.data() + tables, rotations.data(), rotations.size() * 8);
    std::memcpy(memory.data() + tables + kStride, relocations.data(), relocations.size() * 8);
    rotations_ = static_cast<std::int64_t>(rotations.size() / 4);
    relocations_ = static_cast<std::int64_t>(relocations.size() / 2);
  }

  static ScalarArgument word(std::int64_t value) { return {Dtype::s64, Value{value}}; }
  static ScalarArgument key(std::uint64_t value) { return {Dtype::u64, Value{static_cast<std::int64_t>(value)}}; }

  void refresh(std::int64_t first, std::int64_t count, std::int64_t phase, std::uint64_t number,
               const std::array<std::uint64_t, 2>& keys) {
    const auto sets = static_cast<std::uint32_t>(count);
    Launch copy{"harness_refresh", {3, sets}, {64}, {}, 0, false, {}};
    copy.args = {NamedArgument{"sets"}, NamedArgument{"pristine"},
                 word(kStride),         word(kImages),
                 word(first),           word(phase),
                 key(number),           key(keys[0]),
                 key(keys[1]),          NamedArgument{"rotations"},
                 word(rotations_)};
    Launch relocate{"harness_relocate", {1, sets}, {64}, {}, 0, false, {}};
    relocate.args = {NamedArgument{"sets"}, word(kStride), word(first), NamedArgument{"relocations"},
                     word(relocations_)};
    executable.plan.steps = {copy, relocate};
    session.run(executable, memory);
  }
  std::vector<std::byte> set(std::int64_t index, std::int64_t bytes) const {
    const auto begin = memory.begin() + (kImages + index) * kStride;
    return {begin, begin + bytes};
  }
  std::uint64_t address(std::int64_t set, std::int64_t offset) const {
    return reinterpret_cast<std::uint64_t>(memory.data()) + (kImages + set) * kStride + offset;
  }

 private:
  std::int64_t rotations_ = 0, relocations_ = 0;
};

Problem shifted_problem() {
  Problem problem;
  Argument narrow = tensor(ArgumentKind::input, "narrow", Dtype::s8, {1001});
  narrow.align = 1;
  Argument halves = tensor(ArgumentKind::input, "halves", Dtype::bf16, {37, 3});
  halves.align = 2;
  Argument groups = tensor(ArgumentKind::pointers, "groups", Dtype::u64, {2});
  groups.of = "state";
  groups.offsets = {0, 5};
  problem.arguments = {narrow,
                       halves,
                       tensor(ArgumentKind::input, "words", Dtype::f32, {129}),
                       tensor(ArgumentKind::input, "doubles", Dtype::f64, {9}),
                       tensor(ArgumentKind::input, "padded", Dtype::f16, {11, 21}, {29, 1}),
                       tensor(ArgumentKind::input, "thin", Dtype::f16, {50, 2}, {3, 1}),
                       tensor(ArgumentKind::inout, "state", Dtype::f32, {11}),
                       groups,
                       tensor(ArgumentKind::output, "y", Dtype::f32, {8})};
  return problem;
}

}  // namespace

TEST_CASE("the device code that refreshes sets does what the judge takes it to do") {
  const Launched one(shifted_problem(), 1), two(shifted_problem(), 2);
  const ImageLayout& layout = one.layout;
  REQUIRE(layout.bytes <= kStride);
  std::vector<std::vector<std::byte>> images = {one.before, two.before};
  for (auto& image : images) image.resize(kStride);
  Refreshing refreshing(images, layout);
  for (std::uint64_t number = 1; number <= 24; ++number) {
    const std::array<std::uint64_t, 2> keys = {number * 0x1234567, 77 + number};
    const auto phase = static_cast<std::int64_t>(number % 2);
    const auto before = refreshing.memory;
    refreshing.refresh(1, 3, phase, number, keys);
    CAPTURE(number);
    for (std::int64_t set = 1; set <= 3; ++set) {
      auto expected = images[static_cast<std::size_t>((set + phase) % kImages)];
      rotate(layout, expected, cuda::InputSets::rotation(keys, number, set));
      for (const Relocation& r : layout.relocations) {
        const std::uint64_t address = refreshing.address(set, r.target);
        std::memcpy(expected.data() + r.at, &address, sizeof address);
      }
      CAPTURE(set);
      REQUIRE(refreshing.set(set, kStride) == expected);
    }
    for (const std::int64_t untouched : {0, 4}) {
      REQUIRE(std::memcmp(refreshing.memory.data() + (kImages + untouched) * kStride,
                          before.data() + (kImages + untouched) * kStride, kStride) == 0);
    }
    REQUIRE(std::memcmp(refreshing.memory.data(), before.data(), kImages * kStride) == 0);
  }
}

TEST_CASE("rotations differ from set to set, from refresh to refresh and from key to key") {
  using cuda::InputSets;
  std::set<std::uint64_t> seen;
  for (std::uint64_t key = 0; key < 4; ++key)
    for (std::uint64_t number = 0; number < 50; ++number)
      for (std::int64_t set = 0; set < 50; ++set)
        seen.insert(InputSets::rotation({key * 0x9e3779b97f4a7c15, 9}, number, set) % (std::uint64_t{1} << 40));
  CHECK(seen.size() == 4 * 50 * 50);
}
