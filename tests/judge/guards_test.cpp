#include "harness/judge/guards.h"

#include <catch2/catch.hpp>

#include "tests/judge/launched.h"

using namespace harness;
using namespace harness::judge;
using Catch::Contains;

namespace {

Problem two_tensors() {
  Problem problem;
  Argument pointers = tensor(ArgumentKind::pointers, "list", Dtype::u64, {2});
  pointers.of = "x";
  pointers.offsets = {0, 4};
  problem.arguments = {tensor(ArgumentKind::input, "x", Dtype::f32, {4, 6}, {9, 1}),
                       tensor(ArgumentKind::output, "y", Dtype::f16, {4, 6}, {8, 1}), pointers};
  return problem;
}

GateResult guards(const Launched& l) {
  return check_guards(l.problem, l.layout, l.before, l.after);
}
GateResult inputs(const Launched& l) {
  return check_inputs(l.problem, l.layout, l.before, l.after);
}

void flip(std::byte& byte) {
  byte ^= std::byte{1};
}

}  // namespace

TEST_CASE("intact guards and inputs pass, also when every element of the output was written") {
  Launched l(two_tensors());
  for (int i = 0; i < 24; ++i) l.write("y", i, i);
  REQUIRE(guards(l).passed);
  REQUIRE(guards(l).name == "guard-zones");
  REQUIRE(inputs(l).passed);
  REQUIRE(inputs(l).name == "inputs-unchanged");
}

TEST_CASE("one byte past the end and one before the start of a buffer are seen and named") {
  for (const std::string name : {"x", "y", "list"}) {
    Launched past(two_tensors()), ahead(two_tensors());
    const ImageBuffer& buffer = *find_buffer(past.layout, name);
    flip(past.after[buffer.offset + buffer.bytes]);
    REQUIRE_FALSE(guards(past).passed);
    REQUIRE(guards(past).detail == "something wrote 1 bytes past the end of '" + name + "'");
    flip(ahead.after[buffer.offset - 1]);
    REQUIRE_FALSE(guards(ahead).passed);
    REQUIRE(guards(ahead).detail == "something wrote 1 bytes before the start of '" + name + "'");
  }
}

TEST_CASE("the first and the last byte of the image are guarded") {
  Launched first(two_tensors()), last(two_tensors());
  flip(first.after.front());
  flip(last.after.back());
  REQUIRE_FALSE(guards(first).passed);
  REQUIRE_FALSE(guards(last).passed);
}

TEST_CASE("padding inside a strided tensor must stay, in inputs and outputs") {
  Launched output(two_tensors()), input(two_tensors());
  flip(output.after[find_buffer(output.layout, "y")->offset + 2 * 6]);
  REQUIRE_THAT(guards(output).detail, Contains("padding of 'y', 6 elements after its start"));
  flip(input.after[find_buffer(input.layout, "x")->offset + 4 * 17]);
  REQUIRE_THAT(guards(input).detail, Contains("padding of 'x', 17 elements"));
  REQUIRE(inputs(input).passed);
}

TEST_CASE("a changed input is named with its index and values") {
  Launched l(two_tensors());
  l.write("x", 8, 77);
  REQUIRE_FALSE(inputs(l).passed);
  REQUIRE_THAT(inputs(l).detail, Contains("input 'x'[1, 2] changed from") && Contains("to 77"));
  REQUIRE(guards(l).passed);
}

TEST_CASE("resolved pointers are no change, and a swapped one is") {
  Launched l(two_tensors());
  const std::int64_t base = 0x7f0000001000;
  for (const Relocation& r : l.layout.relocations) {
    const std::int64_t address = base + r.target;
    std::memcpy(l.after.data() + r.at, &address, 8);
  }
  REQUIRE(inputs(l).passed);
  std::memcpy(l.after.data() + l.layout.relocations[1].at, l.after.data() + l.layout.relocations[0].at, 8);
  REQUIRE_FALSE(inputs(l).passed);
  REQUIRE(inputs(l).detail == "pointer 1 of 'list' changed");
}

TEST_CASE("outside its valid rows a ragged output is untouched unless anything may be there") {
  Problem problem;
  problem.arguments = {drawn("n", Dtype::s32, {3}, "constant", {{"value", 2}}),
                       tensor(ArgumentKind::output, "o", Dtype::f32, {3, 4, 5})};
  problem.arguments[1].valid_rows = "n";
  Launched l(problem);
  l.write("o", 1 * 20 + 1 * 5, 9);
  REQUIRE(guards(l).passed);
  l.write("o", 1 * 20 + 2 * 5, 9);
  REQUIRE_THAT(guards(l).detail, Contains("'o'[1, 2, 0], outside its 2 valid rows"));
  l.problem.arguments[1].outside = "anything";
  REQUIRE(guards(l).passed);
}
