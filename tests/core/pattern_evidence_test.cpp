#include "harness/core/pattern_evidence.h"

#include <catch2/catch.hpp>

using namespace harness;

namespace {

PatternApplication application(std::optional<double> gain, int id = 17, bool emulation = false) {
  PatternApplication each;
  each.id = id;
  each.gain = gain;
  each.emulation = emulation;
  each.evaluations = 2;
  each.seconds = 10;
  each.usd = 0.01;
  return each;
}

}  // namespace

TEST_CASE("the tail of the binomial distribution") {
  CHECK(binomial_tail(0, 5, 0.5) == Approx(1 / 32.0));
  CHECK(binomial_tail(1, 5, 0.5) == Approx(6 / 32.0));
  CHECK(binomial_tail(2, 10, 0.8) == Approx(7.7926e-5).epsilon(1e-4));
  CHECK(binomial_tail(5, 5, 0.8) == 1);
  CHECK(binomial_tail(4, 5, 1.0) == 0);
}

TEST_CASE("applications of one pattern are summed up") {
  const auto evidence =
      sum_up(17, std::nullopt, {application(4), application(1), application(std::nullopt), application(9, 16)});
  CHECK(evidence.applied == 3);
  CHECK(evidence.measured == 2);
  CHECK(evidence.improved == 1);
  CHECK(evidence.met == 1);
  CHECK(*evidence.mean_gain == Approx(2));
  CHECK(evidence.seconds == Approx(30));
  CHECK(*evidence.usd == Approx(0.03));
  CHECK(evidence.against == "");
}

TEST_CASE("a promise is met by its lower end, and unknown money stays unknown") {
  auto free_of_price = application(1.5);
  free_of_price.usd.reset();
  const auto evidence = sum_up(17, Expectation{2, 4, {}}, {application(3), free_of_price});
  CHECK(evidence.improved == 2);
  CHECK(evidence.met == 1);
  CHECK_FALSE(evidence.usd);
}

TEST_CASE("emulation counts only where there is nothing else") {
  const auto mixed = sum_up(17, std::nullopt, {application(8, 17, true), application(1)});
  CHECK(mixed.applied == 1);
  CHECK(mixed.improved == 0);
  CHECK_FALSE(mixed.emulation);
  CHECK(sum_up(17, std::nullopt, {application(8, 17, true)}).emulation);
}

TEST_CASE("evidence that turns against a page is said") {
  const std::vector<PatternApplication> five(5, application(1));
  CHECK(sum_up(17, std::nullopt, five).against ==
        "an improvement followed 0 of 5 applications, too few for a probability of 0.5");
  CHECK(sum_up(17, std::nullopt, {five.begin(), five.begin() + 4}).against == "");
  CHECK(sum_up(17, Expectation{2, 4, 0.8}, {application(1), application(1.9)}).against ==
        "the promised 2x was reached in 0 of 2 applications, too few for the page's probability of 0.8");
  CHECK(sum_up(17, Expectation{2, 4, 0.8}, {application(1), application(2.1)}).against == "");
}
