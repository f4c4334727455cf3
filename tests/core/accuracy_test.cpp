#include "harness/core/accuracy.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "harness/core/contract.h"
#include "harness/core/json.h"

using namespace harness;

namespace {

float serial_sum(const std::vector<float>& terms) {
  float sum = 0;
  for (const float term : terms) sum += term;
  return sum;
}

double exact_sum(const std::vector<float>& terms) {
  double sum = 0;
  for (const float term : terms) sum += term;
  return sum;
}

Problem reduction(std::int64_t rows, std::int64_t columns) {
  Problem problem;
  Argument x, y;
  x.name = "x";
  x.gen = Generator{"normal"};
  x.shape = {rows, columns};
  y.name = "y";
  y.kind = ArgumentKind::output;
  y.shape = {rows};
  problem.arguments = {x, y};
  problem.work.flops = {{"f32", static_cast<double>(rows * columns)}};
  return problem;
}

}  // namespace

TEST_CASE("serial sums of random terms have the typical error of the model") {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (const int n : {100, 1000, 10000}) {
    double error2 = 0, norm2 = 0;
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<float> terms(static_cast<std::size_t>(n));
      for (float& term : terms) term = normal(random);
      const double exact = exact_sum(terms);
      error2 += std::pow(serial_sum(terms) - exact, 2);
      norm2 += exact * exact;
    }
    const double measured = std::sqrt(error2 / norm2), model = typical_error({.sum = n}, Dtype::f32);
    CAPTURE(n, measured, model);
    CHECK(measured < 1.3 * model);
    CHECK(measured > 0.4 * model);
  }
}

TEST_CASE("many equal terms, which are rounded alike, stay below the bound and go beyond what is typical") {
  double largest = 0;
  for (const float term : {0.36787944f, 0.1f, 0.7f, 1.1f}) {
    const std::vector<float> terms(8192, term);
    const double error = std::fabs(serial_sum(terms) / exact_sum(terms) - 1);
    CHECK(error < worst_error({.sum = 8192}, Dtype::f32));
    largest = std::max(largest, error);
  }
  CHECK(largest > 4 * typical_error({.sum = 8192}, Dtype::f32));
}

TEST_CASE("a narrow accumulator, a long sum and a narrow output are allowed more, a pairwise sum less") {
  const auto typical = [](std::int64_t sum, Dtype type, SumOrder order = SumOrder::any, Dtype output = Dtype::f32) {
    return typical_error({sum, type, order}, output);
  };
  CHECK(typical(64, Dtype::f16) > 1000 * typical(64, Dtype::f32));
  CHECK(typical(4096, Dtype::f32) > 3 * typical(256, Dtype::f32));
  CHECK(typical(4096, Dtype::f32, SumOrder::pairwise) < typical(64, Dtype::f32));
  CHECK(typical(1, Dtype::f32, SumOrder::any, Dtype::f16) > 1e-4);
}

TEST_CASE("the length of a sum is inferred where none is declared") {
  Problem problem = reduction(16, 8192);
  CHECK(accuracy_of(problem, problem.arguments[1]).sum == 8192);
  problem.arguments[1].shape = {16, 8192};  // one operation an element: nothing is summed
  CHECK(accuracy_of(problem, problem.arguments[1]).sum == 1);
  problem.work.flops["f32"] *= 3;  // several: as long as a row
  CHECK(accuracy_of(problem, problem.arguments[1]).sum == 8192);
  problem.arguments[1].accuracy = Accuracy{.sum = 7, .accumulate = Dtype::f16, .declared = true};
  CHECK(accuracy_of(problem, problem.arguments[1]).sum == 7);
  const auto copy = parse_json(json_text(problem)).get<Problem>();
  CHECK(copy.arguments[1].accuracy->accumulate == Dtype::f16);
  CHECK(in_words(*copy.arguments[1].accuracy, Dtype::f32).starts_with("sums of 7 terms in f16, any order: typical "));
}
