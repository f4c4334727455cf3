#include "harness/judge/draw.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "harness/core/error.h"
#include "harness/core/generators.h"
#include "harness/judge/forms.h"
#include "harness/judge/generators.h"
#include "harness/judge/integer_forms.h"
#include "harness/judge/random_words.h"
#include "tests/judge/launched.h"

using namespace harness;
using namespace harness::judge;

namespace {

Problem with(std::vector<Argument> arguments) {
  Problem problem;
  problem.arguments = std::move(arguments);
  return problem;
}

std::vector<double> values(const Launched& l, const std::string& name) {
  std::vector<double> result;
  for (std::int64_t i = 0; i < count_elements(l.argument(name)); ++i) result.push_back(l.drawn_value(name, i));
  return result;
}

std::vector<std::byte> image_of(const Problem& problem, std::uint64_t seed, int threads) {
  const ImageLayout layout = make_layout(problem, {});
  std::vector<std::byte> image(layout.bytes);
  paint(problem, {}, layout, seed, image, {"nominal", threads});
  return image;
}

void same_words(random::Words got, std::array<unsigned, 4> wanted) {
  for (int i = 0; i < 4; ++i) REQUIRE(got.w[i] == wanted[i]);
}

}  // namespace

TEST_CASE("Philox 4x32-10 gives the published test vectors") {
  same_words(random::philox({{0, 0, 0, 0}}, 0, 0), {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const unsigned all = 0xffffffff;
  same_words(random::philox({{all, all, all, all}}, all, all), {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  same_words(random::philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
             {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("random words of many elements are those of each") {
  for (const std::uint64_t first : {0ull, 5ull, 0xffffffefull}) {  // the last: the lower word of the counter overflows
    std::size_t next = 0;
    for_random_words(77, 0x123456789abcull, first, 100, [&](std::size_t i, random::Words got) {
      REQUIRE(i == next++);
      const random::Words wanted = random::words(77, 0x123456789abcull, first + i);
      same_words(got, {wanted.w[0], wanted.w[1], wanted.w[2], wanted.w[3]});
    });
    REQUIRE(next == 100);
  }
}

TEST_CASE("below stays in its range and is exact at its ends") {
  const unsigned all = 0xffffffff;
  REQUIRE(random::below({{all, all, 0, 0}}, 10) == 9);
  REQUIRE(random::below({{0, 0, 0, 0}}, 10) == 0);
  REQUIRE(random::below({{0, 0x80000000, 0, 0}}, 10) == 5);
  REQUIRE(random::below({{1, 2, 0, 0}}, 0) == 0x200000001ull);
  REQUIRE(random::below({{all, all, 0, 0}}, 0xfedcba9876543210ull) == 0xfedcba987654320full);
  REQUIRE(random::uniform({{all, all, 0, 0}}) < 1);
}

TEST_CASE("a draw has these bits on every machine") {
  const Launched l(
      with({drawn("x", Dtype::f32, {4}, "normal"), drawn("n", Dtype::s32, {4}, "integers", {{"lo", -5}, {"hi", 5}}),
            drawn("h", Dtype::bf16, {4}, "uniform", {{"lo", -1}, {"hi", 1}})}),
      42);
  REQUIRE(values(l, "x") ==
          std::vector<double>{-0.0925435870885849, 0.56654918193817139, -1.4179240465164185, -0.47430458664894104});
  REQUIRE(values(l, "n") == std::vector<double>{0, 1, -2, -5});
  REQUIRE(values(l, "h") == std::vector<double>{0.2578125, -0.5078125, 0.5703125, -0.2333984375});
}

TEST_CASE("a draw is the same for any number of threads and another for another seed or name") {
  const Problem problem =
      with({drawn("x", Dtype::f16, {200, 101}, "normal"), drawn("i", Dtype::s32, {5000}, "integers"),
            drawn("r", Dtype::s32, {700, 4}, "routing", {{"experts", 16}, {"skew", 1}}),
            tensor(ArgumentKind::output, "y", Dtype::bf16, {999})});
  const auto once = image_of(problem, 7, 1);
  REQUIRE(image_of(problem, 7, 3) == once);
  REQUIRE(image_of(problem, 7, 8) == once);
  REQUIRE(image_of(problem, 8, 1) != once);
  const Launched two(with({drawn("a", Dtype::f32, {64}, "normal"), drawn("b", Dtype::f32, {64}, "normal")}));
  REQUIRE(values(two, "a") != values(two, "b"));
}

TEST_CASE("what fills constant memory keeps its values among draws that are timed together, and no device draws it") {
  const Problem problem = with(
      {tensor(ArgumentKind::input, "w", Dtype::f32, {9}, {1}), tensor(ArgumentKind::input, "x", Dtype::f32, {9}, {1})});
  const Plan plan{{}, {}, {{"table", "w"}}};
  const ImageLayout layout = make_layout(problem, plan);
  const ImageBuffer &w = *find_buffer(layout, "w"), &x = *find_buffer(layout, "x");
  CHECK(w.constant);
  CHECK_FALSE(w.draw.has_value());
  CHECK(x.draw.has_value());
  const auto drawn = [&](std::uint64_t seed, const DrawOptions& options, const ImageBuffer& buffer) {
    std::vector<std::byte> image(static_cast<std::size_t>(layout.bytes));
    paint(problem, plan, layout, seed, image, options);
    return std::vector<std::byte>(image.begin() + buffer.offset, image.begin() + buffer.offset + buffer.bytes);
  };
  CHECK(drawn(7, {}, w) == drawn(8, {.constants = 7}, w));
  CHECK(drawn(7, {}, w) == drawn(9, {.fresh = FreshSeeds{5, 6}, .constants = 7}, w));
  CHECK(drawn(7, {}, w) != drawn(8, {}, w));  // launches of their own have values of their own
  CHECK(drawn(8, {}, x) == drawn(8, {.constants = 7}, x));
}

TEST_CASE("normal has its mean, variance and tails, and uniform its range") {
  const Launched l(with({drawn("z", Dtype::f64, {200000}, "normal"),
                         drawn("m", Dtype::f64, {200000}, "normal", {{"mean", 3}, {"std", 0.5}, {"scale", 2}}),
                         drawn("u", Dtype::f64, {200000}, "uniform", {{"lo", 2}, {"hi", 4}})}));
  const auto moments = [](const std::vector<double>& v) {
    double sum = 0, square = 0;
    for (const double x : v) sum += x, square += x * x;
    const double mean = sum / static_cast<double>(v.size());
    return std::pair(mean, square / static_cast<double>(v.size()) - mean * mean);
  };
  const auto z = values(l, "z");
  REQUIRE(std::fabs(moments(z).first) < 0.01);
  REQUIRE(std::fabs(moments(z).second - 1) < 0.015);
  const auto beyond = [&](double limit) {
    return std::ranges::count_if(z, [=](double x) { return std::fabs(x) > limit; });
  };
  REQUIRE(std::fabs(static_cast<double>(beyond(2)) / 200000 - 0.0455) < 0.004);
  REQUIRE(beyond(3.5) > 0);
  REQUIRE(beyond(4.9) == 0);
  REQUIRE(moments(values(l, "m")).first == Approx(6).margin(0.02));
  REQUIRE(moments(values(l, "m")).second == Approx(1).margin(0.02));
  const auto u = values(l, "u");
  REQUIRE(*std::ranges::min_element(u) >= 2);
  REQUIRE(*std::ranges::max_element(u) < 4);
  REQUIRE(moments(u).second == Approx(4.0 / 12).margin(0.01));
}

TEST_CASE("a strided tensor is drawn as a dense one is") {
  Argument strided = drawn("x", Dtype::f16, {37, 50}, "normal");
  strided.strides = {1, 40};  // columns first, and padded
  const Launched dense(with({drawn("x", Dtype::f16, {37, 50}, "normal")})), padded(with({strided}));
  REQUIRE(values(padded, "x") == values(dense, "x"));
}

TEST_CASE("permutations hold each number once in every group") {
  const Launched l(with({drawn("p", Dtype::s32, {3, 50}, "permutation", {{"n", 50}})}));
  const auto p = values(l, "p");
  for (int group = 0; group < 3; ++group) {
    REQUIRE(std::set<double>(p.begin() + group * 50, p.begin() + (group + 1) * 50).size() == 50);
  }
  REQUIRE(std::vector<double>(p.begin(), p.begin() + 50) != std::vector<double>(p.begin() + 50, p.begin() + 100));
  REQUIRE(*std::ranges::max_element(p) == 49);
  REQUIRE_THROWS_AS(Launched(with({drawn("p", Dtype::s32, {51}, "permutation", {{"n", 50}})})), Error);
}

TEST_CASE("ragged lengths keep their range, total and capacity, and prefix sums add them up") {
  const Launched l(with({drawn("sums", Dtype::s32, {41}, "prefix_sum", {{"of", "total"}}),
                         drawn("range", Dtype::s32, {40}, "ragged", {{"lo", 3}, {"hi", 9}}),
                         drawn("mean", Dtype::s32, {40}, "ragged", {{"mean", 100}}),
                         drawn("total", Dtype::s32, {40}, "ragged", {{"lo", 1}, {"hi", 64}, {"total", 500}}),
                         drawn("capacity", Dtype::s64, {40}, "ragged", {{"lo", 0}, {"hi", 64}, {"capacity", 300}}),
                         drawn("more", Dtype::s64, {40}, "ragged", {{"lo", 0}, {"hi", 64}, {"total", 2400}})}));
  const auto sum = [&](const std::string& name, double lo, double hi) {
    double total = 0;
    for (const double v : values(l, name)) {
      REQUIRE(v >= lo);
      REQUIRE(v <= hi);
      total += v;
    }
    return total;
  };
  sum("range", 3, 9);
  sum("mean", 50, 150);
  REQUIRE(sum("total", 1, 64) == 500);
  REQUIRE(sum("capacity", 0, 64) == 300);
  REQUIRE(sum("more", 0, 64) == 2400);
  const auto sums = values(l, "sums"), lengths = values(l, "total");
  REQUIRE(sums[0] == 0);
  for (int i = 0; i < 40; ++i) REQUIRE(sums[i + 1] - sums[i] == lengths[i]);
  REQUIRE_THROWS_AS(Launched(with({drawn("r", Dtype::s32, {4}, "ragged", {{"lo", 3}, {"hi", 9}, {"total", 37}})})),
                    Error);
  REQUIRE_THROWS_AS(Launched(with({drawn("r", Dtype::s32, {4}, "ragged")})), Error);
}

TEST_CASE("a block table gives every sequence its own blocks, sizes named or given") {
  for (const std::string unused : {"minus_one", "valid"}) {
    Problem problem = with({drawn("table", Dtype::s32, {5, 8}, "block_table",
                                  {{"lengths", "n"}, {"block", "page"}, {"blocks", 64}, {"unused", unused}}),
                            drawn("n", Dtype::s32, {5}, "ragged", {{"lo", 0}, {"hi", 128}})});
    problem.workload.values["page"] = std::int64_t{16};
    const Launched l(problem);
    const auto table = values(l, "table"), n = values(l, "n");
    std::set<double> used;
    for (int s = 0; s < 5; ++s) {
      for (int j = 0; j < 8; ++j) {
        const double block = table[s * 8 + j];
        if (j * 16 < n[s]) REQUIRE(used.insert(block).second);
        else if (unused == "minus_one") REQUIRE(block == -1);
        if (j * 16 < n[s] || unused == "valid") REQUIRE((block >= 0 && block < 64));
      }
    }
    for (int s = 0; s < 5 && unused == "valid"; ++s) {
      for (int j = 0; j < 8; ++j) REQUIRE((j * 16 < n[s] || !used.contains(table[s * 8 + j])));
    }
  }
  REQUIRE_THROWS_AS(Launched(with({drawn("n", Dtype::s32, {5}, "integers", {{"lo", 100}}),
                                   drawn("table", Dtype::s32, {5, 8}, "block_table",
                                         {{"lengths", "n"}, {"block", 16}, {"blocks", 30}})})),
                    Error);
}

TEST_CASE("routing picks different experts, prefers some with skew, and leaves the empty ones out") {
  const Launched l(
      with({drawn("even", Dtype::s32, {4000, 2}, "routing", {{"experts", 8}}),
            drawn("skewed", Dtype::s32, {4000, 2}, "routing", {{"experts", 8}, {"skew", 1.5}, {"empty", 3}})}));
  const auto counts = [&](const std::string& name) {
    std::map<double, int> count;
    const auto v = values(l, name);
    for (std::size_t i = 0; i < v.size(); i += 2) REQUIRE(v[i] != v[i + 1]);
    for (const double e : v) ++count[e];
    return count;
  };
  const auto even = counts("even"), skewed = counts("skewed");
  REQUIRE(even.size() == 8);
  for (const auto& [expert, count] : even) REQUIRE((count > 850 && count < 1150));
  REQUIRE(skewed.size() == 5);
  int most = 0, least = 8000;
  for (const auto& [expert, count] : skewed) most = std::max(most, count), least = std::min(least, count);
  REQUIRE(most > 3 * least);
  REQUIRE(most <= 4000);
}

TEST_CASE("masks have their density and constants stay small") {
  const Launched l(with({drawn("m", Dtype::b8, {10000}, "mask", {{"density", 0.25}}),
                         drawn("c", Dtype::f32, {2}, "constant", {{"value", 1.5}})}));
  const auto m = values(l, "m");
  REQUIRE(std::ranges::count(m, 1.0) + std::ranges::count(m, 0.0) == 10000);
  REQUIRE(std::abs(std::ranges::count(m, 1.0) - 2500) < 200);
  REQUIRE(values(l, "c") == std::vector<double>{1.5, 1.5});
  REQUIRE_THROWS_AS(Launched(with({drawn("c", Dtype::f32, {17}, "constant")})), Error);
}

TEST_CASE("hostile forms change floating inputs as they say") {
  const Problem problem = with({drawn("x", Dtype::f64, {1000}, "normal")});
  const Launched nominal(problem);
  const auto formed = [&](const std::string& form) {
    Launched l(problem);
    draw_inputs(problem, l.layout, 1, l.before, {form, 0});
    return values(l, "x");
  };
  const auto x = values(nominal, "x"), small = formed("scaled 1e-2"), large = formed("scaled 1e2"),
             shifted = formed("shifted"), spikes = formed("spikes");
  int spiked = 0;
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(small[i] == x[i] * 1e-2);
    REQUIRE(large[i] == x[i] * 1e2);
    REQUIRE(shifted[i] == x[i] + 2);
    REQUIRE((spikes[i] == x[i] || spikes[i] == 64 * x[i]));
    spiked += spikes[i] != x[i];
  }
  REQUIRE(spiked > 0);
  REQUIRE(spiked < 30);
  REQUIRE_THROWS_AS(formed("upside down"), Error);
}

TEST_CASE("values keep to the domain that a contract states, and its ends are among them") {
  Problem problem = with({drawn("x", Dtype::f32, {40, 50}, "uniform")});
  const auto formed = [&](const std::string& form) {
    Launched l(problem);
    draw_inputs(problem, l.layout, 1, l.before, {form, 0});
    return values(l, "x");
  };
  for (const char* form : {"ends", "denormals", "infinities", "nans", "ties", "sorted"})
    CHECK_FALSE(has_form(problem, form));
  CHECK(formed("ends") == formed("nominal"));
  problem.arguments[0].values = ValueDomain{-2, 1e6, true, true, true, true, true};
  for (const std::string& form : draw_forms()) {
    CAPTURE(form);
    CHECK(has_form(problem, form));
    for (const double value : formed(form)) REQUIRE((!std::isfinite(value) || (value >= -2 && value <= 1e6)));
  }
  const auto ends = formed("ends");
  CHECK(std::ranges::count(ends, -2.0) > 10);
  CHECK(std::ranges::count(ends, 1e6) > 10);
  CHECK(std::ranges::count_if(ends, [](double value) { return value > 1e3 && value < 1e5; }) > 10);
  CHECK(std::ranges::count_if(formed("denormals"), [](double v) { return v > 0 && v < 0x1p-126; }) > 10);
  CHECK(std::ranges::count(formed("infinities"), std::numeric_limits<double>::infinity()) > 0);
  CHECK(std::ranges::count_if(formed("nans"), [](double value) { return std::isnan(value); }) > 0);
  const auto ties = formed("ties");
  CHECK(std::set<double>(ties.begin(), ties.end()) == std::set<double>{-1, 0, 1, 2});
  const auto rows = formed("sorted");
  CHECK(std::is_sorted(rows.begin(), rows.begin() + 50));
  CHECK(std::is_sorted(rows.begin() + 50, rows.begin() + 100, std::greater()));
  problem.arguments[0].values = ValueDomain{-5, 5};
  CHECK(formed("infinities") == formed("nominal"));
}

TEST_CASE("planted values stand first and among the others, integers where their range has them") {
  const Problem problem = with({drawn("x", Dtype::f64, {20, 50}, "normal"),
                                drawn("n", Dtype::s32, {20, 50}, "integers", {{"lo", 0}, {"hi", 1000000}})});
  CHECK(planted_values("planted 3 -0.5") == std::vector{3, -0.5});
  for (const char* form : {"planted", "planted ", "planted a", "planted 1,2", "planted nan"}) {
    CHECK(planted_values(form).empty());
    CHECK_FALSE(is_form(form));
  }
  Launched l(problem);
  draw_inputs(problem, l.layout, 1, l.before, {"planted 7 0.25 1e9 -3", 0});
  const auto x = values(l, "x"), n = values(l, "n");
  CHECK(x[0] == 7);
  CHECK(x[1] == 0.25);
  CHECK(std::ranges::count(x, 0.25) > 10);
  CHECK(std::ranges::count(x, 1e9) == 0);  // no contract says that values go so far
  CHECK(n[0] == 7);
  CHECK(std::ranges::count(n, 7.0) > 60);
  CHECK(std::ranges::all_of(n, [](double value) { return value >= 0 && value <= 1000000; }));
}

TEST_CASE("elements that share storage keep one value, and integers of 64 bits all their bits") {
  const Launched l(with({[] {
                           Argument a = drawn("x", Dtype::f32, {4, 8}, "normal");
                           a.strides = {0, 1};
                           return a;
                         }(),
                         drawn("big", Dtype::s64, {64}, "integers", {{"lo", 1ll << 60}, {"hi", (1ll << 60) + 3}})}));
  const auto x = values(l, "x");
  for (int i = 0; i < 8; ++i) REQUIRE(x[i] == x[24 + i]);
  std::set<std::int64_t> seen;
  for (const std::int64_t v : load_integers(l.argument("big"), l.layout, l.before)) seen.insert(v - (1ll << 60));
  REQUIRE(seen == std::set<std::int64_t>{0, 1, 2, 3});
}

TEST_CASE("every generator of the table is drawn here, or by the kernel's own code") {
  for (const GeneratorKind& kind : generator_kinds()) {
    INFO(kind.name);
    const int ways = (element_generator(kind.name) != nullptr) + (integer_generator(kind.name) != nullptr);
    CHECK(ways == (kind.own_code ? 0 : 1));
    CHECK(!(kind.has_forms && element_generator(kind.name) == nullptr));
  }
}

TEST_CASE("generators that cannot work are refused, and custom ones are named") {
  Argument bare = tensor(ArgumentKind::input, "x", Dtype::f32, {4});
  bare.gen.reset();
  REQUIRE_THROWS_AS(Launched(with({bare})), Error);
  REQUIRE_THROWS_AS(Launched(with({drawn("x", Dtype::f32, {4}, "gaussian")})), Error);
  REQUIRE_THROWS_AS(Launched(with({drawn("s", Dtype::s32, {4}, "prefix_sum", {{"of", "s"}})})), Error);
  REQUIRE_THROWS_AS(Launched(with({drawn("s", Dtype::s32, {4}, "integers", {{"lo", 4}, {"hi", 3}})})), Error);
  REQUIRE_THROWS_AS(Launched(with({drawn("s", Dtype::s32, {4}, "integers", {{"lo", "nowhere"}})})), Error);
  REQUIRE(needs_custom_draw(with({drawn("x", Dtype::f32, {4}, "custom"), drawn("y", Dtype::f32, {4}, "normal")})) ==
          std::vector<std::string>{"x"});
}

TEST_CASE("hostile forms arrange integers and lengths within their range") {
  const Problem problem = with({drawn("n", Dtype::s32, {20, 50}, "integers", {{"lo", -7}, {"hi", 900}}),
                                drawn("lengths", Dtype::s32, {64}, "ragged", {{"lo", 2}, {"hi", 500}})});
  const auto formed = [&](const std::string& form, const char* name) {
    Launched l(problem);
    draw_inputs(problem, l.layout, 1, l.before, {form, 0});
    return values(l, name);
  };
  const auto row = [](const std::vector<double>& all, std::size_t i) {
    return std::vector<double>(all.begin() + static_cast<std::ptrdiff_t>(50 * i),
                               all.begin() + static_cast<std::ptrdiff_t>(50 * i + 50));
  };
  const auto distinct = [](const std::vector<double>& some) {
    return std::set<double>(some.begin(), some.end()).size();
  };
  for (const std::string& form : draw_forms()) {
    CAPTURE(form);
    for (const double value : formed(form, "n")) REQUIRE((value >= -7 && value <= 900));
    for (const double value : formed(form, "lengths")) REQUIRE((value >= 2 && value <= 500));
    const bool changes = form != "nominal" && has_form(problem, form);
    CHECK((formed(form, "n") != formed("nominal", "n")) == changes);
    CHECK((formed(form, "lengths") != formed("nominal", "lengths")) == changes);
  }
  CHECK(distinct(row(formed("scaled 1e-2", "n"), 3)) <= 4);
  CHECK(distinct(row(formed("scaled 1e2", "n"), 3)) == 2);
  CHECK(std::ranges::is_sorted(row(formed("large", "n"), 3)));
  CHECK(std::ranges::is_sorted(row(formed("shifted", "n"), 3), std::greater()));
  CHECK(distinct(row(formed("one-hot", "n"), 3)) == 1);
  CHECK(distinct(formed("one-hot", "n")) > 1);  // another value in each row
  std::vector<std::int64_t> long_row(600000);   // shared by cores
  const auto arranged = [&](const std::string& form) {
    for (std::size_t i = 0; i < long_row.size(); ++i) long_row[i] = static_cast<std::int64_t>(i * 7919 % 907) - 7;
    const auto length = static_cast<std::int64_t>(long_row.size());
    arrange_integers(long_row, length, -7, 899, form, 3);
  };
  arranged("shifted");
  CHECK(std::ranges::is_sorted(long_row, std::greater()));
  arranged("few spikes");
  CHECK(std::ranges::count(long_row, 899) == 1);
  arranged("ramp");
  CHECK(std::ranges::adjacent_find(
            long_row, [](std::int64_t a, std::int64_t b) { return b != (a == 899 ? -7 : a + 1); }) == long_row.end());
  const auto one_long = formed("few spikes", "lengths");
  CHECK(std::ranges::count(one_long, 500.0) == 1);
  CHECK(std::ranges::count(one_long, 2.0) == 63);
}
