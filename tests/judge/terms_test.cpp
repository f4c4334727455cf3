#include "harness/judge/terms.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "harness/judge/elements.h"
#include "harness/judge/output.h"
#include "harness/judge/tolerance.h"
#include "tests/judge/launched.h"

using namespace harness;
using namespace harness::judge;

namespace {

/// y = sum of 1000 values of x.
Launched one_sum() {
  Problem problem;
  problem.arguments = {tensor(ArgumentKind::input, "x", Dtype::f32, {1000}),
                       tensor(ArgumentKind::output, "y", Dtype::f32, {1})};
  problem.work.flops = {{"f32", 1000}};
  Launched l(problem);
  l.compute("y", [&](std::int64_t) {
    double sum = 0;
    for (std::int64_t i = 0; i < 1000; ++i) sum += l.drawn_value("x", i);
    return sum;
  });
  return l;
}

double changed_sum(const Launched& l, std::uint64_t seed, double change) {
  std::vector<std::byte> image = l.before;
  change_inputs(l.problem, l.layout, seed, change, image);
  double sum = 0;
  const std::byte* const x = image.data() + find_buffer(l.layout, "x")->offset;
  for (std::int64_t i = 0; i < 1000; ++i) sum += load_as_double(Dtype::f32, x + 4 * i);
  return sum;
}

/// `of` makes the output from the sum.
std::vector<ChangedPair> pairs_of(const Launched& l, double (*of)(double)) {
  std::vector<ChangedPair> pairs;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    pairs.push_back({l.reference, l.reference, l.reference, l.reference});
    pairs.back().up.at("y").values[0] = of(changed_sum(l, seed, term_change(l.problem)));
    pairs.back().down.at("y").values[0] = of(changed_sum(l, seed, -term_change(l.problem)));
    pairs.back().half_up.at("y").values[0] = of(changed_sum(l, seed, term_change(l.problem) / 2));
    pairs.back().half_down.at("y").values[0] = of(changed_sum(l, seed, -term_change(l.problem) / 2));
  }
  return pairs;
}

}  // namespace

TEST_CASE("the size of a sum's terms is found by changing its inputs") {
  Launched l = one_sum();
  const std::vector<ChangedPair> others = pairs_of(l, [](double sum) { return sum; });
  double squares = 0;
  for (std::int64_t i = 0; i < 1000; ++i) squares += std::pow(l.drawn_value("x", i), 2);
  measure_terms(l.problem, l.reference, others, "nominal");
  CHECK(l.reference.at("y").terms == Approx(std::sqrt(squares)).epsilon(0.4));
  const double typical = l.reference.at("y").terms;
  measure_terms(l.problem, l.reference, others, "ramp");
  CHECK(l.reference.at("y").terms == Approx(typical * std::sqrt(1000.0)));
}

// Two values among many, 1e3 and -1e3, meet in one sum: rounding them leaves more there than in any other.
TEST_CASE("an element of large terms that cancel may be off by what they round to, and no other") {
  constexpr std::int64_t kRows = 100, kColumns = 128;
  Problem problem;
  problem.arguments = {tensor(ArgumentKind::input, "x", Dtype::f32, {kRows, kColumns}),
                       tensor(ArgumentKind::output, "y", Dtype::f32, {kRows})};
  Launched l(problem);
  for (const auto& [column, value] : {std::pair(7, 1e3), std::pair(90, -1e3)})
    store_rounded(Dtype::f32, l.before.data() + find_buffer(l.layout, "x")->offset + 4 * (3 * kColumns + column),
                  value);
  const auto sums = [&](double change, std::uint64_t seed) {
    std::vector<std::byte> image = l.before;
    if (change != 0) change_inputs(l.problem, l.layout, seed, change, image);
    const std::byte* const x = image.data() + find_buffer(l.layout, "x")->offset;
    ReferenceValues values;
    ReferenceArray& y = values["y"];
    y.dtype = Dtype::f32;
    y.shape = {kRows};
    y.values = Uncleared<double>(kRows);
    std::fill(y.values.begin(), y.values.end(), 0.0);
    for (std::int64_t i = 0; i < kRows * kColumns; ++i) y.values[i / kColumns] += load_as_double(Dtype::f32, x + 4 * i);
    return values;
  };
  l.reference = sums(0, 0);
  std::vector<ChangedPair> pairs;
  const double change = term_change(l.problem);
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    pairs.push_back({sums(change, seed), sums(-change, seed), sums(change / 2, seed), sums(-change / 2, seed)});
  measure_terms(l.problem, l.reference, pairs, "few spikes");
  const auto& terms = l.reference.at("y").element_terms;
  REQUIRE(terms.size() == kRows);
  CHECK(terms[3] > 20 * terms[4]);
  const Output output(l.problem, l.layout, l.before, l.before, *find_argument(l.problem, "y"), l.reference.at("y"));
  const auto badness = [&](std::int64_t i) {
    const double right = l.reference.at("y").values[i];
    return output.badness(i, 0, {right, right, right + 0.1});
  };
  CHECK(badness(3) < badness(4) / 5);
}

TEST_CASE("what is steep and not linear in its inputs has no terms that cancel") {
  Launched l = one_sum();
  const auto steep = [](double sum) { return std::exp(4 * sum); };
  l.reference.at("y").values[0] = steep(l.reference.at("y").values[0]);
  measure_terms(l.problem, l.reference, pairs_of(l, steep), "ramp");
  CHECK(l.reference.at("y").terms == 0);
}

TEST_CASE("only errors that a cancellation can have made are looked at again") {
  Launched l = one_sum();
  CHECK_FALSE(may_be_cancellation(l.problem, l.verdict(), "nominal"));
  const double right = l.reference.at("y").values[0];
  l.write("y", 0, right * 1.001);
  CHECK(may_be_cancellation(l.problem, l.verdict(), "nominal"));
  l.write("y", 0, right * 2);
  CHECK_FALSE(may_be_cancellation(l.problem, l.verdict(), "nominal"));
  CHECK(may_be_cancellation(l.problem, l.verdict(), "ramp"));
  l.write("y", 0, std::nan(""));
  CHECK_FALSE(may_be_cancellation(l.problem, l.verdict(), "ramp"));
}

TEST_CASE("plain inputs are held to the typical error, longer sums to more, hostile forms to the bound") {
  Problem problem = one_sum().problem;
  Argument& y = problem.arguments[1];
  Tolerance measured{.form = "nominal", .impostor = 2e-4, .tolerance = 1e-6, .origin = "derived"};
  CHECK(tolerance_at(problem, y, measured) == Approx(kSeparation * typical_error({.sum = 1000}, Dtype::f32)));
  measured.tolerance = 1e-5;
  CHECK(tolerance_at(problem, y, measured) == 1e-5);
  y.accuracy = Accuracy{.sum = 1000, .declared = true};
  CHECK(tolerance_at(problem, y, measured) == Approx(kSeparation * typical_error({.sum = 1000}, Dtype::f32)));
  y.accuracy->sum = 10;
  CHECK(tolerance_at(problem, y, measured) < 6e-7);
  measured.form = "ramp";
  CHECK(tolerance_at(problem, y, measured) == 1e-5);
  y.accuracy->sum = 100000;
  CHECK(tolerance_at(problem, y, measured) == Approx(worst_error({.sum = 100000}, Dtype::f32)));
  y.accuracy->accumulate = Dtype::bf16;
  CHECK(tolerance_at(problem, y, measured) == kHostileBound);
}

TEST_CASE("what saturates is not linear either, though it is as far from both sides") {
  Launched l = one_sum();
  const double middle = l.reference.at("y").values[0];
  static double centre;
  centre = middle;
  const auto saturates = [](double sum) { return std::tanh(40 * (sum - centre)); };
  l.reference.at("y").values[0] = 0;
  measure_terms(l.problem, l.reference, pairs_of(l, saturates), "lowered");
  CHECK(l.reference.at("y").terms == 0);
}
