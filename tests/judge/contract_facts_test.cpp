#include "harness/judge/contract_facts.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

using namespace harness;
using namespace harness::judge;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Argument tensor_of_eight(const std::string& name, ArgumentKind kind) {
  Argument argument;
  argument.name = name;
  argument.kind = kind;
  argument.dtype = Dtype::f32;
  argument.shape = {8};
  argument.strides = {1};
  if (kind == ArgumentKind::input) argument.gen = Generator{"normal", {}};
  return argument;
}

/// y of x, eight numbers each.
struct Drawn {
  Problem problem;
  ImageLayout layout;
  std::vector<std::byte> image = std::vector<std::byte>(64);
  ReferenceValues values;

  explicit Drawn(const std::vector<float>& x, const std::vector<double>& y = std::vector<double>(8, 1)) {
    problem.arguments = {tensor_of_eight("x", ArgumentKind::input), tensor_of_eight("y", ArgumentKind::output)};
    layout.buffers = {{"x", 0, 32, false}, {"y", 32, 32, false}};
    layout.bytes = 64;
    std::memcpy(image.data(), x.data(), 32);
    values["y"] = {Dtype::f32, {8}, Uncleared<double>(8), {}};
    for (std::size_t i = 0; i < 8; ++i) values["y"].values[i] = y[i];
  }
  DrawnReference drawn() const { return {image, values}; }
};

std::size_t constant_in(const std::vector<const Drawn*>& draws) {
  std::vector<std::span<const std::byte>> images;
  for (const Drawn* draw : draws) images.emplace_back(draw->image);
  return constant_inputs(draws[0]->problem, draws[0]->layout, images).size();
}

}  // namespace

TEST_CASE("an input that is one value in all draws is told, and one that varies or is declared constant is not") {
  const Drawn zeros(std::vector<float>(8, 0)), ones(std::vector<float>(8, 1)), varied({1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(constant_in({&zeros, &zeros}) == 1);
  CHECK(constant_in({&zeros, &ones}) == 0);
  CHECK(constant_in({&varied, &varied}) == 0);
  Drawn declared(std::vector<float>(8, 0));
  declared.problem.arguments[0].gen->kind = "constant";
  CHECK(constant_in({&declared}) == 0);
}

TEST_CASE("a reference with NaN in more than a tenth of an output is told with the count") {
  const std::vector<float> x(8, 1);
  const Drawn half(x, {1, kNan, 2, kNan, 3, kNan, 4, kNan}), none(x);
  REQUIRE(not_a_number(half.problem, half.layout, half.drawn()).size() == 1);
  CHECK_THAT(not_a_number(half.problem, half.layout, half.drawn())[0],
             Catch::Contains("NaN in 4 of 8 elements of 'y'"));
  CHECK(not_a_number(none.problem, none.layout, none.drawn()).empty());
}

TEST_CASE("a reference that is another one when it runs again is told, and sums in another order are not") {
  const std::vector<float> x(8, 1);
  const Drawn first(x, std::vector<double>(8, 1)), close(x, std::vector<double>(8, 1 + 1e-7)),
      far(x, {1, 1, 1, 1, 1, 1, 1, 2}), hole(x, {1, 1, 1, 1, 1, 1, 1, kNan});
  CHECK(changes_by_itself(first.problem, first.values, first.values).empty());
  CHECK(changes_by_itself(first.problem, first.values, close.values).empty());
  CHECK(changes_by_itself(first.problem, first.values, far.values).size() == 1);
  CHECK(changes_by_itself(first.problem, first.values, hole.values).size() == 1);
  CHECK(changes_by_itself(hole.problem, hole.values, hole.values).empty());
}

TEST_CASE("an output that is the same for other inputs follows from none") {
  const Drawn first({1, 2, 3, 4, 5, 6, 7, 8}), same({8, 7, 6, 5, 4, 3, 2, 1}),
      other({8, 7, 6, 5, 4, 3, 2, 1}, {1, 1, 1, 1, 1, 1, 1, 2});
  const std::vector<DrawnReference> vacuous{first.drawn(), same.drawn()}, moving{first.drawn(), other.drawn()};
  CHECK(same_outputs(first.problem, first.layout, vacuous) == std::vector<std::string>{"y"});
  CHECK(same_outputs(first.problem, first.layout, moving).empty());
}
