#include "harness/judge/layout.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/judge/launched.h"

using namespace harness;
using namespace harness::judge;

TEST_CASE("every payload is aligned to exactly what it asks for, with a guard on both sides") {
  Problem problem;
  for (const std::int64_t align : {0, 2, 4, 8, 16, 32, 128, 256, 2048}) {
    Argument a = tensor(ArgumentKind::input, "x" + std::to_string(align), Dtype::f16, {3, 7});
    a.align = align;
    problem.arguments.push_back(a);
  }
  const ImageLayout layout = make_layout(problem, {{}, {{"scratch", 100, 256, false}, {"counters", 8, 64, true}}});
  REQUIRE(layout.buffers.size() == 11);
  std::int64_t end = 0;
  for (const ImageBuffer& b : layout.buffers) {
    REQUIRE(b.offset - end >= kGuardBytes);
    end = b.offset + b.bytes;
    const Argument* a = find_argument(problem, b.name);
    const std::int64_t align = a == nullptr ? (b.name == "scratch" ? 256 : 64) : a->align == 0 ? 16 : a->align;
    REQUIRE(b.offset % (2 * align) == align);
  }
  REQUIRE(layout.bytes - end >= kGuardBytes);
  REQUIRE(find_buffer(layout, "x0")->bytes == 42);
  REQUIRE_FALSE(find_buffer(layout, "scratch")->restored);
  REQUIRE(find_buffer(layout, "counters")->restored);
}

TEST_CASE("inputs end at a closed page and share theirs with nothing that a launch may write") {
  Problem problem;
  problem.arguments = {
      tensor(ArgumentKind::output, "y", Dtype::f32, {5}), tensor(ArgumentKind::input, "a", Dtype::f32, {1000, 3}),
      tensor(ArgumentKind::inout, "z", Dtype::f32, {5}), tensor(ArgumentKind::input, "b", Dtype::f16, {7}),
      tensor(ArgumentKind::input, "none", Dtype::f32, {0})};
  const ImageLayout layout = make_layout(problem, {{}, {{"scratch", 100, 256, false}}});
  REQUIRE(layout.closed.size() == 2);
  REQUIRE(layout.read_only.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    const ImageBuffer& input = layout.buffers[i];
    const ImagePages &pages = layout.read_only[i], &closed = layout.closed[i];
    REQUIRE(input.name == (i == 0 ? "a" : "b"));
    REQUIRE(pages.offset % kPageBytes == 0);
    REQUIRE(pages.offset + pages.bytes == closed.offset);
    REQUIRE(input.offset >= pages.offset + kGuardBytes);
    REQUIRE(closed.offset - (input.offset + input.bytes) < 2 * 16);
    for (const ImageBuffer& other : layout.buffers)
      if (&other != &input)
        REQUIRE((other.offset + other.bytes <= pages.offset || other.offset >= closed.offset + closed.bytes));
  }
}

TEST_CASE("an alignment is at least the element and at most the base's") {
  Problem problem;
  problem.arguments = {tensor(ArgumentKind::output, "y", Dtype::f64, {2})};
  problem.arguments[0].align = 2;
  REQUIRE(make_layout(problem, {}).buffers[0].offset % 16 == 8);
  problem.arguments[0].align = 4096;
  REQUIRE(make_layout(problem, {}).buffers[0].offset == 4096);
  problem.arguments[0].align = 8192;
  REQUIRE_THROWS_AS(make_layout(problem, {}), Error);
  problem.arguments[0].align = 24;
  REQUIRE_THROWS_AS(make_layout(problem, {}), Error);
}

TEST_CASE("views point into their tensor, pointers are relocated, and values take no space") {
  Problem problem;
  Argument view = tensor(ArgumentKind::view, "k", Dtype::f16, {2, 4}, {12, 1});
  view.of = "qkv";
  view.offset = 4;
  Argument pointers = tensor(ArgumentKind::pointers, "groups", Dtype::u64, {3});
  pointers.of = "qkv";
  pointers.offsets = {0, 12, 4};
  Argument scalar = tensor(ArgumentKind::scalar, "eps", Dtype::f32, {});
  Argument missing = tensor(ArgumentKind::input, "bias", Dtype::f32, {8});
  missing.absent = true;
  problem.arguments = {view, pointers, tensor(ArgumentKind::inout, "qkv", Dtype::f16, {2, 12}), scalar, missing};
  const ImageLayout layout = make_layout(problem, {});
  REQUIRE(layout.buffers.size() == 3);
  const std::int64_t whole = find_buffer(layout, "qkv")->offset;
  REQUIRE(find_buffer(layout, "qkv")->restored);
  REQUIRE(layout.buffers.back().name == "k");
  REQUIRE(find_buffer(layout, "k")->offset == whole + 8);
  REQUIRE(find_buffer(layout, "k")->bytes == 32);
  const std::int64_t at = find_buffer(layout, "groups")->offset;
  REQUIRE(find_buffer(layout, "groups")->bytes == 24);
  REQUIRE(layout.relocations.size() == 3);
  REQUIRE(layout.relocations[1].at == at + 8);
  REQUIRE(layout.relocations[1].target == whole + 24);

  problem.arguments[0].offset = 9;
  REQUIRE_THROWS_AS(make_layout(problem, {}), Error);
  problem.arguments[0].offset = 0;
  problem.arguments[1].offsets = {25};
  REQUIRE_THROWS_AS(make_layout(problem, {}), Error);
  problem.arguments[1].of = "nothing";
  REQUIRE_THROWS_AS(make_layout(problem, {}), Error);
}

TEST_CASE("a device may draw independent elements that nothing depends on, and poison outputs of whole rows") {
  Problem problem;
  Argument pointers = tensor(ArgumentKind::pointers, "groups", Dtype::u64, {2});
  pointers.of = "pointed";
  pointers.offsets = {0, 4};
  Argument ragged = tensor(ArgumentKind::output, "y", Dtype::f32, {4, 8});
  ragged.valid_rows = "valid";
  Argument packed = tensor(ArgumentKind::input, "nibbles", Dtype::s4, {3});
  Argument shared = tensor(ArgumentKind::input, "overlapping", Dtype::f32, {4, 4}, {2, 1});
  Argument missing = tensor(ArgumentKind::input, "missing", Dtype::f32, {8});
  missing.absent = true;
  problem.arguments = {drawn("x", Dtype::f32, {8}, "normal"),
                       drawn("u", Dtype::f32, {8}, "uniform"),
                       drawn("m", Dtype::b8, {8}, "mask"),
                       drawn("i", Dtype::s32, {8}, "integers"),
                       drawn("p", Dtype::s32, {8}, "permutation"),
                       drawn("counts", Dtype::s32, {8}, "integers"),
                       drawn("sums", Dtype::s32, {9}, "prefix_sum", {{"of", "counts"}}),
                       drawn("valid", Dtype::s32, {4}, "integers"),
                       drawn("lengths", Dtype::s32, {4}, "ragged"),
                       drawn("table", Dtype::s32, {4, 2}, "block_table", {{"lengths", "lengths"}}),
                       drawn("pointed", Dtype::f32, {8}, "normal"),
                       drawn("own", Dtype::f32, {8}, "custom"),
                       drawn("one", Dtype::f32, {8}, "constant"),
                       pointers,
                       ragged,
                       tensor(ArgumentKind::output, "whole", Dtype::f32, {4, 8}),
                       packed,
                       shared,
                       missing};
  std::vector<std::string> by_device;
  const Plan plan{{}, {{"scratch", 64, 16, false}}};
  for (const ImageBuffer& b : make_layout(problem, plan).buffers) {
    if (b.draw) by_device.push_back(b.name + (b.draw->poison ? " (poison)" : ""));
  }
  CHECK(by_device == std::vector<std::string>{"x", "u", "m", "i", "whole (poison)"});
}
