#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <set>

#include "harness/device/cpu/compile/compiler.h"
#include "harness/device/cpu/session.h"
#include "harness/device/cuda/run/input_sets.h"
#include "harness/device/cuda/run/refresh_source.h"
#include "tests/judge/launched.h"
#include "tests/support/program.h"

// The device code that makes input sets anew, run by the cpu device, against what the judge takes it to do.
using namespace harness;
using namespace harness::judge;
using cuda::DrawnSets;
using cuda::InputSets;

namespace {

constexpr std::int64_t kStride = 131072, kImages = 2, kSets = 5;
constexpr std::array<std::uint64_t, 2> kKey = {0x1234567, 77};

/// One image for the kernels: pristine images, sets, tables, digests.
struct Refreshing {
  CpuCompiler compiler{tests::build_cache(), std::string(HARNESS_SOURCE_DIR) + "/harness/device/cpu/guest"};
  CpuSession session{2};
  Executable executable;
  cuda::SetTables tables;
  std::vector<std::byte> memory;
  std::array<std::int64_t, kSets> places{3 * kStride, 0, 4 * kStride, 2 * kStride, kStride};

  Refreshing(const std::vector<std::vector<std::byte>>& images, const ImageLayout& layout) : tables(layout) {
    const auto built = compiler.build({"refresh.cu", cuda::refresh_source(), cuda::kRefreshEntries});
    if (const auto* failure = std::get_if<CompileFailure>(&built)) FAIL(failure->log);
    executable.artifact = std::get<Artifact>(built);
    REQUIRE(tables.bytes() <= kStride);
    const std::int64_t sets = kImages * kStride, words = sets + kSets * kStride;
    executable.layout.bytes = words + 2 * kStride;
    for (const auto& [name, at] : {std::pair{"pristine", std::int64_t{0}},
                                   {"sets", sets},
                                   {"ranges", words},
                                   {"draws", words + tables.draws_at()},
                                   {"outputs", words + tables.outputs_at()},
                                   {"relocations", words + tables.relocations_at()},
                                   {"digests", words + kStride}}) {
      ImageBuffer& buffer = executable.layout.buffers.emplace_back();
      buffer.name = name;
      buffer.offset = at;
      buffer.bytes = 64;
    }
    memory.assign(static_cast<std::size_t>(executable.layout.bytes), std::byte{0x5a});
    for (std::int64_t k = 0; k < kImages; ++k) std::ranges::copy(images[k], memory.begin() + k * kStride);
    std::memcpy(memory.data() + words, tables.words.data(), static_cast<std::size_t>(tables.bytes()));
  }

  static ScalarArgument word(std::int64_t value) { return {Dtype::s64, Value{value}}; }

  /// HarnessRefresh, field by field, as the problem's argument "refresh".
  void set_words(const DrawnSets& d) {
    Argument words;
    words.name = "refresh";
    words.kind = ArgumentKind::structure;
    words.struct_bytes = sizeof(cuda::RefreshWords);
    for (const std::int64_t value :
         {kStride, d.first, d.used, d.shift, kImages, d.phase, static_cast<std::int64_t>(d.pair),
          static_cast<std::int64_t>(d.launch), static_cast<std::int64_t>(kKey[0]), static_cast<std::int64_t>(kKey[1]),
          static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(places.data()))})
      words.fields.push_back({"word", Dtype::s64, Value{value}, 8 * static_cast<std::int64_t>(words.fields.size())});
    executable.problem.arguments = {words};
  }

  Launch launch(const std::string& entry, std::int64_t sets, std::vector<LaunchArgument> arguments) {
    Launch launch{entry, {3, static_cast<std::uint32_t>(sets)}, {64}, {}, 0, false, {}};
    launch.args = std::move(arguments);
    return launch;
  }

  void refresh(const DrawnSets& d) {
    set_words(d);
    executable.plan.steps = {launch("harness_copy", d.count,
                                    {NamedArgument{"sets"}, NamedArgument{"pristine"}, NamedArgument{"refresh"},
                                     NamedArgument{"ranges"}, word(tables.ranges)})};
    for (std::size_t i = 0; i < tables.draws.size(); ++i)
      executable.plan.steps.push_back(launch("harness_draw", d.count,
                                             {NamedArgument{"sets"}, NamedArgument{"refresh"}, NamedArgument{"draws"},
                                              word(static_cast<std::int64_t>(i))}));
    executable.plan.steps.push_back(launch(
        "harness_relocate", d.count,
        {NamedArgument{"sets"}, NamedArgument{"refresh"}, NamedArgument{"relocations"}, word(tables.relocations)}));
    session.run(executable, memory);
  }

  std::vector<std::uint64_t> digests(const DrawnSets& d) {
    set_words(d);
    std::byte* const at = memory.data() + (kImages + kSets + 1) * kStride;
    std::memset(at, 0, kStride);
    executable.plan.steps.clear();
    for (std::size_t i = 0; i < tables.outputs.size(); ++i)
      executable.plan.steps.push_back(
          launch("harness_digest", d.count,
                 {NamedArgument{"sets"}, NamedArgument{"refresh"}, NamedArgument{"outputs"},
                  word(static_cast<std::int64_t>(i)), NamedArgument{"digests"}, word(tables.digest_words)}));
    session.run(executable, memory);
    std::vector<std::uint64_t> found(static_cast<std::size_t>(d.count * tables.digest_words));
    std::memcpy(found.data(), at + 8 * d.first * tables.digest_words, found.size() * 8);
    return found;
  }

  std::byte* set(std::int64_t index) {
    return memory.data() + kImages * kStride + places.at(static_cast<std::size_t>(index));
  }
};

Problem every_draw() {
  Problem problem;
  Argument narrow = tensor(ArgumentKind::input, "narrow", Dtype::s8, {1001});
  narrow.align = 1;
  narrow.gen->options = {{"lo", -128}, {"hi", 127}};
  Argument halves = tensor(ArgumentKind::input, "halves", Dtype::bf16, {37, 3});
  halves.align = 2;
  Argument groups = tensor(ArgumentKind::pointers, "groups", Dtype::u64, {2});
  groups.of = "pointed";
  groups.offsets = {0, 5};
  problem.arguments = {narrow,
                       halves,
                       drawn("shifted", Dtype::f32, {129}, "normal", {{"mean", 3.3}, {"std", 0.7}, {"scale", 1e4}}),
                       drawn("doubles", Dtype::f64, {9}, "uniform", {{"lo", -2}, {"hi", 1e-3}}),
                       drawn("tiny", Dtype::f16, {200}, "normal", {{"scale", 1e-6}}),  // subnormal
                       drawn("huge", Dtype::f16, {200}, "normal", {{"scale", 1e5}}),   // infinite
                       drawn("eights", Dtype::e4m3, {300}, "normal", {{"scale", 100}}),
                       drawn("fives", Dtype::e5m2, {300}, "uniform"),
                       drawn("mask", Dtype::b8, {77}, "mask", {{"density", 0.3}}),
                       drawn("counts", Dtype::s64, {33}, "integers", {{"lo", -5000000000}, {"hi", 5000000000}}),
                       drawn("whole", Dtype::f32, {33}, "integers", {{"lo", 0}, {"hi", 9}}),
                       drawn("order", Dtype::s32, {64}, "permutation"),
                       tensor(ArgumentKind::input, "padded", Dtype::f16, {5, 7, 11}, {120, 13, 1}),
                       tensor(ArgumentKind::input, "turned", Dtype::f32, {6, 10}, {1, 6}),
                       tensor(ArgumentKind::inout, "state", Dtype::f32, {11}),
                       tensor(ArgumentKind::input, "pointed", Dtype::f32, {11}),
                       groups,
                       tensor(ArgumentKind::output, "y", Dtype::f32, {8}),
                       tensor(ArgumentKind::output, "flags", Dtype::b8, {19}),
                       tensor(ArgumentKind::output, "codes", Dtype::s8, {19}),
                       tensor(ArgumentKind::output, "rows", Dtype::bf16, {4, 6}, {9, 1})};
  return problem;
}

}  // namespace

TEST_CASE("the device code that makes sets anew draws the bits that the judge draws") {
  const Launched one(every_draw(), 1), two(every_draw(), 2);
  const ImageLayout& layout = one.layout;
  REQUIRE(layout.bytes <= kStride);
  const auto has_draw = [](const ImageBuffer& b) { return b.draw.has_value(); };
  CHECK(std::ranges::count_if(layout.buffers, has_draw) == 18);  // all but the order, the pointed and the pointers
  std::vector<std::vector<std::byte>> images = {one.before, two.before};
  for (auto& image : images) image.resize(kStride);
  Refreshing refreshing(images, layout);
  for (std::uint64_t number = 1; number <= 4; ++number) {
    const DrawnSets drawn{
        1, 3, 4, static_cast<std::int64_t>(number % 3), static_cast<std::int64_t>(number % 2), number, 2 * number};
    const auto before = refreshing.memory;
    refreshing.refresh(drawn);
    CAPTURE(number);
    for (std::int64_t set = 1; set <= 3; ++set) {
      const auto image = static_cast<std::uint64_t>((drawn.draw_of(set) + drawn.phase) % kImages);
      std::vector<std::byte> expected(static_cast<std::size_t>(layout.bytes));
      paint(one.problem, one.plan, layout, image + 1, expected, {.fresh = InputSets::seeds(kKey, drawn, set)});
      for (const Relocation& r : layout.relocations) {
        const auto address = reinterpret_cast<std::uint64_t>(refreshing.set(set) + r.target);
        std::memcpy(expected.data() + r.at, &address, sizeof address);
      }
      for (const ImageBuffer& buffer : layout.buffers) {
        CAPTURE(set, buffer.name);
        REQUIRE(std::memcmp(refreshing.set(set) + buffer.offset, expected.data() + buffer.offset,
                            static_cast<std::size_t>(buffer.bytes)) == 0);
      }
      REQUIRE(std::memcmp(refreshing.set(set), expected.data(), expected.size()) == 0);  // guards, too
    }
    for (const std::int64_t untouched : {0, 4})
      REQUIRE(std::memcmp(refreshing.set(untouched),
                          before.data() + kImages * kStride + refreshing.places[static_cast<std::size_t>(untouched)],
                          kStride) == 0);
    REQUIRE(std::memcmp(refreshing.memory.data(), before.data(), kImages * kStride) == 0);
  }
}

TEST_CASE("digests tell sets apart by any byte of an output, and by nothing else") {
  Problem problem;
  Argument odd = tensor(ArgumentKind::output, "odd", Dtype::u8, {21});
  odd.align = 1;
  problem.arguments = {tensor(ArgumentKind::input, "x", Dtype::f32, {8}), odd,
                       tensor(ArgumentKind::output, "y", Dtype::f32, {8})};
  const Launched launched(problem, 1);
  std::vector<std::byte> image = launched.before;
  image.resize(kStride);
  Refreshing refreshing({image, image}, launched.layout);
  for (std::int64_t set = 0; set < 2; ++set) std::ranges::copy(image, refreshing.set(set));
  const DrawnSets both{0, 2, 2, 0, 0, 1, 1};
  const auto words = static_cast<std::size_t>(refreshing.tables.digest_words);
  REQUIRE(words == 2);
  const auto equal = [&] {
    const auto found = refreshing.digests(both);
    return refreshing.tables.agree(std::span(found).first(words), std::span(found).subspan(words));
  };
  CHECK(equal());
  refreshing.set(1)[find_buffer(launched.layout, "x")->offset] ^= std::byte{1};
  refreshing.set(1)[find_buffer(launched.layout, "odd")->offset - 1] ^= std::byte{1};
  refreshing.set(1)[find_buffer(launched.layout, "odd")->offset + 21] ^= std::byte{1};
  CHECK(equal());
  for (const auto& [name, bytes] : {std::pair{"odd", 21}, {"y", 32}})
    for (int at = 0; at < bytes; ++at) {
      CAPTURE(name, at);
      std::byte& byte = refreshing.set(1)[find_buffer(launched.layout, name)->offset + at];
      byte ^= std::byte{1};
      CHECK_FALSE(equal());
      byte ^= std::byte{1};
    }
}

TEST_CASE("where bits may differ, digests tell a distance within the tolerance from one beyond it") {
  for (const Dtype dtype : {Dtype::f32, Dtype::bf16, Dtype::f16, Dtype::e4m3}) {
    Problem problem;
    problem.deterministic = false;
    Argument y = tensor(ArgumentKind::output, "y", dtype, {900});
    y.compare = Compare{"relative", 1e-1, json::object()};
    problem.arguments = {y};
    const Launched launched(problem, 1);
    std::vector<std::byte> image = launched.before;
    image.resize(kStride);
    Refreshing refreshing({image, image}, launched.layout);
    const std::int64_t offset = find_buffer(launched.layout, "y")->offset;
    const auto agree = [&](double relative) {
      for (std::int64_t set = 0; set < 2; ++set) std::ranges::copy(image, refreshing.set(set));
      for (std::int64_t i = 0; i < 900; ++i) {
        std::byte* unit = refreshing.set(1) + offset + i * storage_bytes(dtype);
        store_rounded(dtype, unit, load_as_double(dtype, unit) * (i % 2 == 0 ? 1 + relative : 1 - relative));
      }
      const auto found = refreshing.digests({0, 2, 2, 0, 0, 1, 1});
      const auto words = static_cast<std::size_t>(refreshing.tables.digest_words);
      return refreshing.tables.agree(std::span(found).first(words), std::span(found).subspan(words));
    };
    CAPTURE(dtype);
    CHECK(agree(0));
    CHECK(agree(0.1));
    CHECK_FALSE(agree(1));
  }
}

TEST_CASE(
    "seeds differ from draw to draw and pair to pair, are those of the draw at any set, and poison is never the same") {
  std::set<std::uint64_t> values, poison;
  for (std::uint64_t pair = 1; pair <= 20; ++pair)
    for (std::uint64_t turn = 0; turn < 2; ++turn) {
      const DrawnSets drawn{0, 50, 50, static_cast<std::int64_t>(turn * 7), 0, pair, 2 * pair + turn};
      for (std::int64_t set = 0; set < 50; ++set) {
        const FreshSeeds seeds = InputSets::seeds(kKey, drawn, set);
        values.insert(seeds.values);
        poison.insert(seeds.poison);
        CHECK(drawn.set_of(drawn.draw_of(set)) == set);
      }
    }
  CHECK(values.size() == 20 * 50);
  CHECK(poison.size() == 20 * 2 * 50);
}
