#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>

#include "tests/support/program.h"
#include "tests/support/turns.h"

// The attacks of tests/hostile, sent by a proposer through the whole protocol.
using namespace harness;
using namespace harness::tests;

namespace {

const std::string kRoot = HARNESS_SOURCE_DIR;
// As in hostile_test.cpp: what an attack that can do no harm may gain by the wandering of emulated times.
constexpr double kGainOfNone = 8;

/// By kernel, as many as one campaign asks for.
std::vector<std::pair<std::string, std::vector<std::string>>> attacks_of_the_slice() {
  constexpr std::size_t kCampaign = 32;
  std::ifstream file(kRoot + "/tests/hostile/expectations.json");
  std::map<std::string, std::vector<std::string>> chosen;
  std::size_t index = 0;
  for (const json& each : json::parse(file))
    if (in_slice(index++, 16))
      chosen[each["kernel"]].push_back(kRoot + "/tests/hostile/" + each["kernel"].get<std::string>() + "/variants/" +
                                       each["variant"].get<std::string>());
  std::vector<std::pair<std::string, std::vector<std::string>>> campaigns;
  for (const auto& [kernel, attacks] : chosen)
    for (std::size_t from = 0; from < attacks.size(); from += kCampaign)
      campaigns.emplace_back(
          kernel,
          std::vector(attacks.begin() + static_cast<std::ptrdiff_t>(from),
                      attacks.begin() + static_cast<std::ptrdiff_t>(std::min(from + kCampaign, attacks.size()))));
  return campaigns;
}

/// A small workload of a kernel of tests/hostile.
std::string workload_of(const std::string& kernel) {
  if (kernel == "weighted") return "n777";
  if (kernel == "inverse") return "m16n4096";
  return kernel == "rowdots" ? "b24k1000" : "m33n257_f32";
}

/// Sends them in a campaign of its own. What it ends with, where that is an attack and seems to gain: what a search
/// holds before a finalist's gates, such as the invariance of batches, is no result.
std::vector<std::string> gains_of(const std::string& kernel, const std::vector<std::string>& attacks) {
  const Scratch scratch;
  std::string spec = "command:" + kRoot + "/tests/proposers/attacks.py";
  for (const std::string& attack : attacks) spec += " " + attack;
  const Finished finished =
      run_harness({"run", kernel, "--variant", "00_honest", "--workload", workload_of(kernel), "--device", "cpu",
                   "--emulated", "--kernels", kRoot + "/tests/hostile", "--strategy",
                   kRoot + "/tests/fixtures/proposals_first.lua", "--proposer", spec, "--db", scratch.db(), "--json"});
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  const json end = finished.lines().back();
  CHECK(end["reason"] == "strategy");
  const json rows =
      parse_json(run_harness({"history", "--proposals", "--limit", "1000", "--db", scratch.db(), "--json"}).out);
  std::size_t sent = 0;
  for (const json& row : rows) {
    if (row["outcome"] == "failed") continue;  // it had no attack left
    ++sent;
    INFO(row.dump());
    CHECK(row["usd"] == 0.01);
  }
  CHECK(sent == attacks.size());
  CHECK(end["cost_usd"].get<double>() == Approx(0.01 * static_cast<double>(sent)));
  const json bests = parse_json(run_harness({"best", kernel, "--db", scratch.db(), "--json"}).out);
  REQUIRE(bests.size() == 1);
  std::vector<std::string> gains;
  for (const json& best : bests)
    if (best["variant"] != "00_honest" && best["speedup"].get<double>() >= kGainOfNone) gains.push_back(best.dump());
  return gains;
}

}  // namespace

TEST_CASE("a proposer that sends attacks gets nothing, and pays for each", "[hostile]") {
  for (const auto& [kernel, attacks] : attacks_of_the_slice()) {
    std::vector<std::string> gains = gains_of(kernel, attacks);
    // An attack that works gains each time; on a busy machine a time may wander further than kGainOfNone once.
    for (int again = 0; again < 2 && !gains.empty(); ++again) gains = gains_of(kernel, attacks);
    INFO(json(gains).dump());
    CHECK(gains.empty());
  }
}
