#include "harness/evaluate/preflight.h"

#include <catch2/catch.hpp>

#include "tests/evaluate/shop.h"

// What the cpu device says of a candidate for a GPU, with the real workers.
using namespace harness;

namespace {

struct Preflights : tests::Shop {
  Preflights() : Shop("/tests/hostile") {}
  Realized at(const std::string& variant, const std::string& workload) {
    return realize("rowstats", variant, workload);
  }
  Preflight preflight{workers};
};

}  // namespace

TEST_CASE("a check begun before is the one that is waited for, and a source that was right is not tried again") {
  Preflights shop;
  const Realized honest = shop.at("00_honest", "m8n64_f32");
  shop.preflight.begin(honest, nullptr, false);
  const PreflightResult result = shop.preflight.check(honest, nullptr, false);
  CHECK_FALSE(result.settled);
  CHECK(result.gate.checked);
  CHECK_THAT(result.gate.detail, Catch::Contains("right and clean"));

  Realized other = honest;  // another configuration of this source
  other.build.defines.emplace_back("TILE", "4");
  const PreflightResult stands_for_it = shop.preflight.check(other, nullptr, false);
  CHECK_FALSE(stands_for_it.gate.checked);
  CHECK_THAT(stands_for_it.gate.detail, Catch::Contains("was right"));
  CHECK(shop.preflight.check(other, nullptr, true).gate.checked);  // a finalist is tried itself
}

TEST_CASE("while one check is under way another one waits for its turn, and each has its own result") {
  Preflights shop;
  const Realized honest = shop.at("00_honest", "m8n64_f32"), wrong = shop.at("01_unwritten", "m8n64_f32");
  shop.preflight.begin(honest, nullptr, false);
  shop.preflight.begin(wrong, nullptr, false);  // its build alone
  const PreflightResult result = shop.preflight.check(wrong, nullptr, false);
  REQUIRE(result.settled);
  CHECK_FALSE(result.gate.passed);
  CHECK(shop.preflight.check(honest, nullptr, false).gate.passed);
}

TEST_CASE("a check that nobody waits for ends with its owner") {
  Preflights shop;
  {
    Preflight preflight(shop.workers);
    preflight.begin(shop.at("00_honest", "m8n64_f32"), nullptr, false);
  }
  CHECK(shop.preflight.check(shop.at("00_honest", "m8n64_f32"), nullptr, false).gate.checked);  // the workers are free
}
