#include "harness/judge/sums.h"

#include <catch2/catch.hpp>

#include "harness/core/accuracy.h"
#include "harness/judge/tolerance.h"
#include "tests/judge/launched.h"

using namespace harness;
using namespace harness::judge;

namespace {

constexpr std::int64_t kM = 5, kN = 40, kK = 300;

/// C = A B, with nothing said of operations.
double product_at(const Launched& l, const std::vector<std::byte>& image, std::int64_t i) {
  const auto value = [&](const std::string& name, std::int64_t at) {
    return load_as_double(Dtype::f32, image.data() + find_buffer(l.layout, name)->offset + 4 * at);
  };
  double sum = 0;
  for (std::int64_t k = 0; k < kK; ++k) sum += value("A", i / kN * kK + k) * value("B", k * kN + i % kN);
  return sum;
}

Launched product() {
  Problem problem;
  problem.arguments = {tensor(ArgumentKind::input, "A", Dtype::f32, {kM, kK}),
                       tensor(ArgumentKind::input, "B", Dtype::f32, {kK, kN}),
                       tensor(ArgumentKind::output, "C", Dtype::f32, {kM, kN})};
  Argument& c = problem.arguments[2];
  c.accuracy = accuracy_of(problem, c);
  set_tolerance(c, 5e-7);
  Launched l(problem);
  l.compute("C", [&](std::int64_t i) { return product_at(l, l.before, i); });
  return l;
}

std::map<std::string, std::int64_t> lengths_of(const Launched& l) {
  const std::vector<Probe> probes = choose_probes(l.problem, 7);
  std::vector<ReferenceValues> changed;
  for (const Probe& probe : probes) {
    std::vector<std::byte> image = l.before;
    change_element(l.problem, l.layout, probe, image);
    changed.push_back(l.reference);
    for (std::int64_t i = 0; i < kM * kN; ++i)
      changed.back().at("C").values[static_cast<std::size_t>(i)] = product_at(l, image, i);
  }
  return sum_lengths(l.problem, l.reference, probes, changed);
}

}  // namespace

TEST_CASE("the inner length of a product is found by changing single elements") {
  const Launched l = product();
  CHECK(l.argument("C").accuracy->sum == 60);  // as many elements of B as there are of C, times 60
  CHECK(lengths_of(l).at("C") == kK);
  CHECK(choose_probes(l.problem, 7).size() == 2 * kProbes);
}

TEST_CASE("longer sums allow what their rounding explains, and never an impostor") {
  const Launched l = product();
  const auto allowed = [&](const std::string& form, double impostor) {
    return tolerance_of(*find_argument(with_sums(l.problem, {{"C", kK}}, form, {{"C", impostor}}), "C"));
  };
  const Accuracy longer{.sum = kK};
  CHECK(allowed("nominal", 3e-4) == Approx(kSeparation * typical_error(longer, Dtype::f32)));
  CHECK(allowed("nominal", 2.4e-6) == Approx(6e-7));
  CHECK(allowed("nominal", 0) == 5e-7);
  CHECK(allowed("ramp", 0) == Approx(worst_error(longer, Dtype::f32)));
  CHECK(tolerance_of(*find_argument(with_sums(l.problem, {{"C", 60}}, "ramp", {{"C", 1}}), "C")) == 5e-7);
}

TEST_CASE("only what the length of a sum can explain is looked at again") {
  Launched l = product();
  CHECK_FALSE(may_be_longer_sums(l.problem, l.verdict()));
  const auto scaled = [&](double factor) {
    for (std::int64_t i = 0; i < kM * kN; ++i)
      l.write("C", i, l.reference.at("C").values[static_cast<std::size_t>(i)] * (i % 2 == 0 ? factor : 2 - factor));
  };
  scaled(1 + 2e-6);
  CHECK(may_be_longer_sums(l.problem, l.verdict()));
  l.problem.arguments[2].accuracy->declared = true;
  CHECK_FALSE(may_be_longer_sums(l.problem, l.verdict()));
  l.problem.arguments[2].accuracy->declared = false;
  scaled(1.1);
  CHECK_FALSE(may_be_longer_sums(l.problem, l.verdict()));
}

TEST_CASE("a change that nothing follows is no term") {
  const Launched l = product();
  const std::vector<Probe> probes = choose_probes(l.problem, 7);
  const std::vector<ReferenceValues> same(probes.size(), l.reference);
  CHECK(sum_lengths(l.problem, l.reference, probes, same).at("C") == 1);
}
