#include "harness/judge/verdict.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "harness/core/error.h"
#include "tests/judge/launched.h"

using namespace harness;
using namespace harness::judge;
using Catch::Contains;

namespace {

constexpr std::int64_t kRows = 64, kColumns = 48;

/// out = 0.3 x + 0.1, the output rounded correctly.
Launched healthy(Dtype dtype) {
  Problem problem;
  problem.kernel = "scale";
  problem.arguments = {tensor(ArgumentKind::input, "x", dtype, {kRows, kColumns}),
                       tensor(ArgumentKind::output, "o", dtype, {kRows, kColumns}, {kColumns + 4, 1})};
  Launched l(problem);
  l.compute("o", [&](std::int64_t i) { return 0.3 * l.drawn_value("x", i) + 0.1; });
  return l;
}

void for_all(Launched& l, const std::function<double(std::int64_t)>& f) {
  for (std::int64_t i = 0; i < kRows * kColumns; ++i) l.write("o", i, f(i));
}

double wanted(const Launched& l, std::int64_t i) {
  return l.reference.at("o").values[i];
}

std::vector<std::string> failed(const Verdict& verdict) {
  std::vector<std::string> names;
  for (const GateResult& g : verdict.gates) {
    if (!g.passed) names.push_back(g.name);
  }
  return names;
}

/// One output of a kind of comparison, written as the reference has it.
Launched compared(Dtype dtype, std::vector<std::int64_t> shape, Compare compare,
                  const std::function<double(std::int64_t)>& f) {
  Problem problem;
  problem.arguments = {tensor(ArgumentKind::output, "o", dtype, std::move(shape))};
  problem.arguments[0].compare = std::move(compare);
  Launched l(problem);
  l.compute("o", f);
  return l;
}

}  // namespace

TEST_CASE("a healthy output passes all gates, named in order") {
  for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::e4m3, Dtype::e5m2}) {
    const Launched l = healthy(dtype);
    const Verdict verdict = l.verdict();
    CAPTURE(name(dtype), json_text(verdict));
    REQUIRE(verdict.passed());
    REQUIRE(fingerprint(verdict).empty());
    REQUIRE_FALSE(verdict.first_bad.has_value());
    std::vector<std::string> names;
    for (const GateResult& g : verdict.gates) names.push_back(g.name);
    REQUIRE(names == std::vector<std::string>{"guard-zones", "inputs-unchanged", "finite", "written", "relative-l2:o"});
    REQUIRE(verdict.errors.size() == 1);
    REQUIRE(verdict.errors[0].max_ulp == 0);
    REQUIRE(verdict.errors[0].ulp_histogram.size() == 33);
    REQUIRE(verdict.errors[0].ulp_histogram[0] == kRows * kColumns);
    REQUIRE(parse_json(json_text(verdict)).get<Verdict>().passed());
  }
}

TEST_CASE("honest rounding noise passes in every type") {
  std::mt19937 generator(5);
  std::normal_distribution<double> noise;
  for (const auto& [dtype, error] : {std::pair(Dtype::f32, 2e-6), {Dtype::f16, 5e-4}, {Dtype::bf16, 3e-3}}) {
    Launched l = healthy(dtype);
    for_all(l, [&](std::int64_t i) { return wanted(l, i) + 0.3 * error * noise(generator); });
    CAPTURE(json_text(l.verdict()));
    REQUIRE(l.verdict().passed());
  }
}

TEST_CASE("zeros, a copied input, a factor of 1.01, a missing row and a NaN are caught") {
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    CAPTURE(name(dtype));
    Launched l = healthy(dtype);
    for_all(l, [](std::int64_t) { return 0.0; });
    REQUIRE(failed(l.verdict()) == std::vector<std::string>{"relative-l2:o"});
    REQUIRE(fingerprint(l.verdict()) == "relative-l2:o: all rows, zero");

    for_all(l, [&](std::int64_t i) { return l.drawn_value("x", i); });
    REQUIRE(failed(l.verdict()) == std::vector<std::string>{"relative-l2:o"});

    for_all(l, [&](std::int64_t i) { return 1.01 * wanted(l, i); });
    REQUIRE(failed(l.verdict()) == std::vector<std::string>{"relative-l2:o"});
    REQUIRE_THAT(fingerprint(l.verdict()), Contains("all rows, ratio 1.01"));

    Launched missing = healthy(dtype);
    const std::size_t row_bytes = kColumns * storage_bytes(dtype);
    const std::ptrdiff_t at = missing.unit("o", (kRows - 1) * kColumns) - missing.after.data();
    std::copy_n(missing.before.begin() + at, row_bytes, missing.after.begin() + at);
    REQUIRE(failed(missing.verdict()) == std::vector<std::string>{"written", "relative-l2:o"});
    REQUIRE_THAT(gate(missing.verdict(), "written").detail, Contains("the first o[63, "));
    REQUIRE(missing.verdict().errors[0].unwritten > kColumns * 3 / 4);
    REQUIRE(fingerprint(missing.verdict()) == "written relative-l2:o: last row, unwritten");

    for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      Launched broken = healthy(dtype);
      broken.write("o", 100, value);
      REQUIRE(failed(broken.verdict()) == std::vector<std::string>{"finite", "relative-l2:o"});
      REQUIRE(broken.verdict().first_bad->index == std::vector<std::int64_t>{2, 4});
      REQUIRE(broken.verdict().errors[0].non_finite == 1);
      REQUIRE(broken.verdict().errors[0].relative_l2 > 0.9 / std::sqrt(kRows * kColumns));
      REQUIRE_THAT(gate(broken.verdict(), "relative-l2:o").detail, Contains("1 of 3072 elements are NaN"));
      REQUIRE(broken.verdict().errors[0].ulp_histogram[32] == 1);
    }
  }
}

TEST_CASE("one element that was never written is seen") {
  Launched l = healthy(Dtype::bf16);
  std::int64_t victim = 777;  // whose poison is far from right
  std::memcpy(l.unit("o", victim), l.before.data() + (l.unit("o", victim) - l.after.data()), 2);
  while (std::fabs(load_as_double(Dtype::bf16, l.unit("o", victim)) - wanted(l, victim)) < 0.5) {
    l.write("o", victim, wanted(l, victim));
    ++victim;
    std::memcpy(l.unit("o", victim), l.before.data() + (l.unit("o", victim) - l.after.data()), 2);
  }
  const Verdict verdict = l.verdict();
  REQUIRE_FALSE(gate(verdict, "written").passed);
  REQUIRE(verdict.errors[0].unwritten == 1);
}

TEST_CASE("a kernel that is wrong everywhere is not called unwritten for the poison it hits by chance") {
  Launched l = compared(Dtype::s8, {64, 64}, {"exact", 0, json::object()}, [](std::int64_t i) { return i % 100; });
  for (std::int64_t i = 0; i < 4096; ++i) l.write("o", i, static_cast<double>(i % 100) - 100);
  const Verdict verdict = l.verdict();
  REQUIRE(verdict.errors[0].unwritten > 0);
  REQUIRE(gate(verdict, "written").passed);
  REQUIRE_FALSE(gate(verdict, "exact:o").passed);
}

TEST_CASE("an error in one row of many cannot hide in the norm of the whole") {
  Problem problem;
  problem.arguments = {tensor(ArgumentKind::output, "o", Dtype::f16, {20000, 8})};
  Launched l(problem);
  l.compute("o", [](std::int64_t i) { return std::sin(static_cast<double>(i)); });
  for (std::int64_t i = 0; i < 8; ++i) l.write("o", 8 * 500 + i, 1.1 * std::sin(4000.0 + static_cast<double>(i)));
  const Verdict verdict = l.verdict();
  REQUIRE(verdict.errors[0].relative_l2 < 2e-3);
  REQUIRE_FALSE(verdict.passed());
  REQUIRE_THAT(gate(verdict, "relative-l2:o").detail, Contains("row [500]"));
  REQUIRE_THAT(fingerprint(verdict), Contains("row 500, ratio 1.1"));
}

TEST_CASE("one wrong element of a long row is caught") {
  Launched l = compared(Dtype::f16, {4, 50000}, {"relative", 0, json::object()},
                        [](std::int64_t i) { return std::cos(static_cast<double>(i)); });
  l.write("o", 123456, 1.5);
  REQUIRE(l.verdict().errors[0].relative_l2 < 2e-2);
  REQUIRE_FALSE(l.verdict().passed());
  REQUIRE(l.verdict().first_bad->index == std::vector<std::int64_t>{2, 23456});
  REQUIRE(l.verdict().first_bad->got == 1.5);
}

TEST_CASE("where the reference is infinite or NaN the output must be the same") {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto f = [&](std::int64_t i) {
    return i == 3 ? -infinity : i == 5 ? std::nan("") : i == 7 ? 1e6 : 1.0 + static_cast<double>(i);
  };
  Launched l = compared(Dtype::f16, {16}, {"relative", 0, json::object()}, f);
  REQUIRE(l.verdict().passed());  // 1e6 is infinity in f16
  l.write("o", 3, infinity);
  REQUIRE_FALSE(gate(l.verdict(), "finite").passed);
  REQUIRE(l.verdict().errors[0].non_finite == 0);
  l.write("o", 3, -infinity);
  l.write("o", 5, 1);
  REQUIRE_FALSE(gate(l.verdict(), "finite").passed);
}

TEST_CASE("an error of a sum that cancels is relative to its terms, where they are known") {
  Launched l = compared(Dtype::f32, {1}, {"relative", 1e-5, json::object()}, [](std::int64_t) { return 0.01; });
  l.write("o", 0, 0.01 + 3e-6);
  CHECK_FALSE(l.verdict().passed());
  l.reference.at("o").terms = 1;
  CHECK(l.verdict().passed());
  CHECK_THAT(gate(l.verdict(), "relative-l2:o").detail, Contains("of which 1 % are left"));
  l.write("o", 0, 0.01 + 3e-4);
  CHECK_FALSE(l.verdict().passed());
}

TEST_CASE("an all-zero reference is judged by absolute size") {
  Launched l = compared(Dtype::f32, {4, 4}, {"relative", 0, json::object()}, [](std::int64_t) { return 0.0; });
  REQUIRE(l.verdict().passed());
  l.write("o", 2, 1e-7);
  REQUIRE(l.verdict().passed());
  l.write("o", 2, 1e-3);
  REQUIRE_FALSE(l.verdict().passed());
}

TEST_CASE("what is lost below the smallest normal number is no error, and what appears above it is one") {
  const Dtype dtype = GENERATE(Dtype::f32, Dtype::bf16, Dtype::f64);
  Launched l = compared(dtype, {4}, {"relative", 1e-5, json::object()},
                        [](std::int64_t i) { return i == 2 ? -100 * std::exp(-100.0) : 0; });  // silu(-100)
  l.write("o", 2, 0);
  CHECK(l.verdict().passed() == (dtype != Dtype::f64));
  l.write("o", 2, 1e-3);
  CHECK_FALSE(l.verdict().passed());
}

TEST_CASE("what rounding to a type's subnormal numbers loses is no error, whoever computes it") {
  const auto [dtype, step] = GENERATE(std::pair(Dtype::f16, 0x1p-24), std::pair(Dtype::e4m3, 0x1p-9));
  Launched l = compared(dtype, {2, 4}, {"relative", 1e-3, json::object()}, [step = step](std::int64_t i) {
    return step * (i < 4 ? 1.4 : 0.4);  // a row that rounds to one step each, a row that rounds to 0
  });
  CHECK(l.verdict().passed());
  l.write("o", 5, 2 * step);
  CHECK_FALSE(l.verdict().passed());
}

TEST_CASE("ulp compares distances") {
  Launched l = compared(Dtype::f16, {8}, {"ulp", 2, json::object()},
                        [](std::int64_t i) { return 1.0 + static_cast<double>(i); });
  l.write("o", 0, 1 + 2 * 0x1p-10);
  REQUIRE(l.verdict().passed());
  REQUIRE(l.verdict().errors[0].max_ulp == 2);
  REQUIRE(l.verdict().errors[0].ulp_histogram[2] == 1);
  l.write("o", 0, 1 + 3 * 0x1p-10);
  REQUIRE(failed(l.verdict()) == std::vector<std::string>{"ulp:o"});
  REQUIRE(l.verdict().first_bad->ulp == 3);
}

TEST_CASE("exact tells 64-bit integers apart that doubles cannot") {
  Launched l = compared(Dtype::s64, {4}, {"exact", 0, json::object()}, [](std::int64_t) { return 0x1p60; });
  REQUIRE(l.verdict().passed());
  const std::int64_t off = (1ll << 60) + 1;
  std::memcpy(l.unit("o", 2), &off, 8);
  const Verdict verdict = l.verdict();
  REQUIRE(failed(verdict) == std::vector<std::string>{"exact:o"});
  REQUIRE(verdict.errors[0].mismatches == 1);
  REQUIRE(verdict.first_bad->index == std::vector<std::int64_t>{2});
  REQUIRE(verdict.first_bad->ulp == 1);
}

TEST_CASE("exact sees a float that is off by less than one") {
  Launched l = compared(Dtype::f32, {4}, {"exact", 0, json::object()}, [](std::int64_t) { return 0.1; });
  REQUIRE(l.verdict().passed());
  l.write("o", 1, 0.1001);
  REQUIRE(failed(l.verdict()) == std::vector<std::string>{"exact:o"});
}

TEST_CASE("quantized allows a small share of single steps and no larger ones") {
  const auto f = [](std::int64_t i) { return static_cast<double>(i % 200 - 100); };
  const Compare compare{"quantized", 0, {{"scale", "scale"}, {"steps", 1}}};
  Launched few = compared(Dtype::s8, {100, 100}, compare, f);
  for (const std::int64_t i : {5, 505, 8005}) few.write("o", i, f(i) + 1);
  REQUIRE(few.verdict().passed());
  REQUIRE(few.verdict().errors[0].mismatches == 3);
  for (std::int64_t i = 0; i < 10000; i += 20) few.write("o", i, f(i) + 1);
  REQUIRE(failed(few.verdict()) == std::vector<std::string>{"quantized:o"});

  Launched large = compared(Dtype::s8, {100, 100}, compare, f);
  large.write("o", 5, f(5) + 2);
  REQUIRE_FALSE(gate(large.verdict(), "quantized:o").passed);
}

TEST_CASE("sets ignore order, and ties of top-k where the input is named") {
  Problem problem;
  Argument scores = drawn("scores", Dtype::f32, {2, 6}, "uniform");
  Argument indices = tensor(ArgumentKind::output, "o", Dtype::s32, {2, 3});
  indices.compare = Compare{"set", 0, {{"of", "scores"}}};
  problem.arguments = {scores, indices};
  Launched l(problem);
  const std::vector<double> rows{5, 4, 3, 3, 1, 0, 9, 8, 7, 6, 5, 4};
  for (std::int64_t i = 0; i < 12; ++i) l.write("scores", i, rows[i]);
  l.before = l.after;
  l.compute("o", [](std::int64_t i) { return static_cast<double>(i % 3); });
  const auto answer = [&](std::vector<double> row) {
    for (std::size_t i = 0; i < 3; ++i) l.write("o", static_cast<std::int64_t>(i), row[i]);
    return gate(l.verdict(), "set:o").passed;
  };
  REQUIRE(answer({0, 1, 2}));
  REQUIRE(answer({2, 0, 1}));
  REQUIRE(answer({0, 1, 3}));  // the same score as 2
  REQUIRE_FALSE(answer({0, 1, 4}));
  REQUIRE_FALSE(answer({0, 1, 1}));
  REQUIRE_FALSE(answer({0, 1, 6}));  // outside
  REQUIRE(l.verdict().errors[0].mismatches == 1);

  Launched floats =
      compared(Dtype::f32, {1, 4}, {"set", 0, json::object()}, [](std::int64_t i) { return static_cast<double>(i); });
  for (std::int64_t i = 0; i < 4; ++i) floats.write("o", i, static_cast<double>(3 - i));
  REQUIRE(floats.verdict().passed());
  floats.write("o", 0, 2);
  REQUIRE_FALSE(floats.verdict().passed());
}

TEST_CASE("ragged outputs are judged inside their valid rows alone") {
  Problem problem;
  problem.arguments = {drawn("n", Dtype::s32, {2}, "permutation"),
                       tensor(ArgumentKind::output, "o", Dtype::f32, {2, 3, 4})};
  problem.arguments[1].valid_rows = "n";
  problem.arguments[1].outside = "anything";
  Launched l(problem);
  l.compute("o", [](std::int64_t i) { return 1.0 + static_cast<double>(i); });
  const std::int64_t full = l.drawn_value("n", 0) == 1 ? 0 : 1;  // the sequence of length 1; the other has none
  for (std::int64_t i = 0; i < 24; ++i) {
    if (i / 12 != full || i % 12 >= 4) l.write("o", i, std::nan(""));
  }
  REQUIRE(l.verdict().passed());
  REQUIRE(l.verdict().errors[0].ulp_histogram[0] == 4);
  l.write("o", full * 12 + 3, 0);
  REQUIRE_FALSE(l.verdict().passed());
}

TEST_CASE("a packed output with views and an inout are judged as wholes") {
  Problem problem;
  Argument view = tensor(ArgumentKind::view, "k", Dtype::f32, {4, 2}, {6, 1});
  view.of = "qkv";
  view.offset = 2;
  problem.arguments = {tensor(ArgumentKind::output, "qkv", Dtype::f32, {4, 6}), view,
                       tensor(ArgumentKind::inout, "state", Dtype::f32, {8})};
  Launched l(problem);
  l.compute("qkv", [](std::int64_t i) { return 2.0 + static_cast<double>(i); });
  l.compute("state", [&](std::int64_t i) { return l.drawn_value("state", i) + 1; });
  REQUIRE(l.verdict().passed());
  REQUIRE(l.verdict().errors.size() == 2);
  std::memcpy(l.after.data() + find_buffer(l.layout, "k")->offset, l.before.data() + find_buffer(l.layout, "k")->offset,
              8);
  REQUIRE_FALSE(gate(l.verdict(), "written").passed);
  REQUIRE(l.verdict().first_bad->argument == "qkv");
  l.write("qkv", 2, 4);
  l.write("qkv", 3, 5);
  l.write("state", 1, l.drawn_value("state", 1));
  REQUIRE_THAT(gate(l.verdict(), "written").detail, Contains("state[1]"));
}

TEST_CASE("an integer factor or region of the same bug gives the same fingerprint in two candidates") {
  const auto buggy = [](double factor, double jitter) {
    Launched l = healthy(Dtype::f16);
    for (std::int64_t i = 40 * kColumns; i < kRows * kColumns; ++i) {
      l.write("o", i, factor * wanted(l, i) * (1 + ((i & 1) != 0 ? jitter : -jitter)));
    }
    return fingerprint(l.verdict());
  };
  REQUIRE(buggy(0.675, 0) == "relative-l2:o: rows >= 40, ratio 0.675");
  REQUIRE(buggy(0.675, 1e-4) == buggy(0.675, 0));
  REQUIRE(buggy(0.5, 0) != buggy(0.675, 0));

  Launched column = healthy(Dtype::f16), periodic = healthy(Dtype::f16);
  for (std::int64_t row = 0; row < kRows; ++row)
    column.write("o", row * kColumns + kColumns - 1, 3 * (row % 2 == 0 ? 1 : -1));
  REQUIRE(fingerprint(column.verdict()) == "relative-l2:o: last column, values");
  for (std::int64_t i = 0; i < kRows * kColumns; ++i) {
    if (i / kColumns % 4 == 1) periodic.write("o", i, 0);
  }
  REQUIRE(fingerprint(periodic.verdict()) == "relative-l2:o: every 4-th row from 1, zero");
}

TEST_CASE("comparisons that do not exist and references without values are refused") {
  const auto one = [](std::int64_t) { return 1.0; };
  REQUIRE_THROWS_AS(compared(Dtype::f32, {2}, {"close", 0, json::object()}, one).verdict(), Error);
  REQUIRE_THROWS_AS(compared(Dtype::s32, {2}, {"relative", 0, json::object()}, one).verdict(), Error);
  REQUIRE_THROWS_AS(compared(Dtype::f32, {2}, {"custom", 0, json::object()}, one).verdict(), Error);
  Launched l = healthy(Dtype::f32);
  l.reference.clear();
  REQUIRE_THROWS_AS(l.verdict(), Error);
}
