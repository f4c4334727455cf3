#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include "harness/script/strategy/library.h"
#include "tests/script/strategy/written_campaign.h"

// The seeds' campaign (bench/seeds/campaign.json, docs/replay.md) under the rules that every campaign has: the shipped
// Lua files with their defaults; and the figures that its reports state.
using namespace harness;
using namespace harness::tests;

namespace {

const std::filesystem::path kSource = HARNESS_SOURCE_DIR;

const json& seeds() {
  static const json campaign = [] {
    std::ifstream file(kSource / "bench/seeds/campaign.json");
    std::ostringstream text;
    text << file.rdbuf();
    return parse_json(text.str());
  }();
  return campaign;
}

std::unique_ptr<Strategy> strategy(const std::string& file) {
  return script::Library({kSource / "strategies"}).strategy(file);
}

std::unique_ptr<Strategy> own_strategy() {
  return strategy((kSource / "tests/fixtures/seeds_strategy.lua").string());
}

const std::vector<Firing>& firings() {
  static const std::vector<Firing> all = fired_rules(seeds(), *own_strategy());
  return all;
}

/// The minute at which a rule first had a reason in a sitting; nullopt: it never had.
std::optional<double> fired(const std::vector<Firing>& in, const std::string& rule, const std::string& iteration) {
  for (const Firing& firing : in)
    if (firing.rule == rule && firing.iteration == iteration) return firing.minute;
  return std::nullopt;
}

/// The sittings that a rule ends early or never begins, and the minutes that this saves; "": whichever comes first.
std::pair<std::vector<std::string>, double> saved_by(const std::string& rule) {
  std::vector<std::string> iterations;
  std::set<std::string> ended;
  double minutes = 0;
  for (const Firing& firing : firings()) {
    if ((!rule.empty() && firing.rule != rule) || firing.minute >= firing.minutes) continue;
    if (!ended.insert(firing.iteration).second) continue;
    iterations.push_back(firing.iteration);
    minutes += firing.minutes - firing.minute;
  }
  return {iterations, minutes};
}

json table_row(const Decision& decision, const std::string& technique) {
  for (const json& row : decision.table)
    if (row.at("technique") == technique) return row;
  FAIL("no row for " + technique);
  return nullptr;
}

double figure_of(const json& sitting, const std::string& figure) {
  const json& usd = sitting.at("usd");
  if (figure == "rows") return 1;
  if (figure == "minutes") return sitting.at("minutes");
  if (figure == "hours") return sitting.at("minutes").get<double>() / 60;
  return usd.at(figure).is_null() ? 0 : usd.at(figure).get<double>();
}

/// What a declared figure comes to: a sum over sittings, or what its own numbers make.
double computed(const json& declared) {
  if (declared.contains("rows")) {
    double sum = 0;
    bool inside = false;
    for (const json& sitting : seeds().at("sittings")) {
      inside = inside || sitting.at("iteration") == declared.at("rows").at(0);
      if (inside)
        for (const std::string figure : declared.at("figures")) sum += figure_of(sitting, figure);
      if (sitting.at("iteration") == declared.at("rows").at(1)) break;
    }
    return sum * declared.value("times", 1.0);
  }
  const auto of = [&](const char* key) { return declared.at(key).get<std::vector<double>>(); };
  if (declared.contains("sum")) return [](auto v) { return std::accumulate(v.begin(), v.end(), 0.0); }(of("sum"));
  const std::vector<double> numbers = of(declared.contains("product") ? "product" : "quotient");
  double result = numbers.at(0);
  for (std::size_t i = 1; i < numbers.size(); ++i)
    result = declared.contains("product") ? result * numbers[i] : result / numbers[i];
  return result;
}

bool adds_up(const json& declared) {
  if (declared.contains("at_least")) return computed(declared) >= declared.at("at_least");
  return std::abs(computed(declared) - declared.at("declared").get<double>()) <=
         declared.at("within").get<double>() + 1e-9;
}

json declared_as(const std::string& what) {
  for (const json& each : seeds().at("declared"))
    if (each.at("what") == what) return each;
  FAIL("no declared figure " + what);
  return nullptr;
}

}  // namespace

TEST_CASE("the seeds' campaign: the time rule fires at 30, 50 and 60 minutes, and only in these three sittings") {
  CHECK(fired(firings(), "time-overrun", "N+2") == 30.0);
  CHECK(fired(firings(), "time-overrun", "N+3") == 50.0);
  CHECK(fired(firings(), "time-overrun", "It1") == 60.0);  // of 150: 90 minutes would have been saved
  for (const char* iteration : {"N+7C", "N+7D", "N+7F"}) CHECK_FALSE(fired(firings(), "time-overrun", iteration));
  const auto [iterations, minutes] = saved_by("time-overrun");
  CHECK(iterations == std::vector<std::string>{"N+2", "N+3", "It1"});
  CHECK(minutes == Approx(80 + 17 + 90));
}

TEST_CASE("the seeds' campaign: the cumulative rule stops Split-K 28 minutes into N+7D, and all of it after that") {
  CHECK(fired(firings(), "technique-budget", "N+7D") == 28.0);
  for (const char* iteration : {"N+7A", "N+7B", "N+7C", "It1"})
    CHECK_FALSE(fired(firings(), "technique-budget", iteration));
  for (const char* iteration : {"N+7E", "N+7F", "N+7G", "N+7H"})
    CHECK(fired(firings(), "technique-budget", iteration) == 0.0);
  CHECK(saved_by("technique-budget").second == Approx(17 + 30 + 47 + 30 + 26));
  CHECK(saved_by("").second == 337);
  double split_k = 0, all = 0;
  for (const json& sitting : seeds().at("sittings")) {
    all += sitting.at("minutes").get<double>();
    if (sitting.at("technique") == "split-k") split_k += sitting.at("minutes").get<double>();
  }
  CHECK(split_k == 510);
  CHECK(all == 1407);
}

TEST_CASE("the seeds' campaign: with other factors the rules fire elsewhere") {
  std::string name = (std::filesystem::temp_directory_path() / "harness-seeds-XXXXXX").string();
  const std::filesystem::path folder = mkdtemp(name.data());
  std::ofstream(folder / "other.lua") << R"(return strategy {
    name = "other",
    rules = { { "rules/time-overrun", options = { factor = 1.5 } }, { "rules/technique-budget", options = { factor = 1 } } },
    decide = function(campaign) return { action = "try", arm = campaign.open[1], why = "the first" } end })";
  const std::vector<Firing> other = fired_rules(seeds(), *strategy((folder / "other.lua").string()));
  std::filesystem::remove_all(folder);
  CHECK(fired(other, "time-overrun", "N+2") == 23.0);  // the first whole minute at or after 22.5
  CHECK(fired(other, "time-overrun", "N+7D") == 45.0);
  CHECK(fired(other, "time-overrun", "N+7C") == 135.0);
  CHECK(fired(other, "technique-budget", "N+7B") == std::nullopt);  // one attempt alone is no verdict
  CHECK(fired(other, "technique-budget", "N+7C") == 0.0);
}

TEST_CASE("the seeds' campaign: coalescing is preferred to KV-split only once a success probability enters") {
  const double one = succession(seeds(), false), several = succession(seeds(), true);
  // Up to then several kernels were tried six times and never right; one kernel six times, five of them right.
  CHECK(several == Approx(1.0 / 8));
  CHECK(one == Approx(6.0 / 8));
  const Decision kept = chosen_from_menu(seeds(), *own_strategy(), 1, 1);
  const Decision likely = chosen_from_menu(seeds(), *own_strategy(), one, several);
  const json split = table_row(kept, "kv-split"), coalescing = table_row(kept, "memory-coalescing");
  CHECK(split.at("per_minute").get<double>() == Approx(0.100).margin(5e-4));
  CHECK(coalescing.at("per_minute").get<double>() == Approx(0.032).margin(5e-4));
  CHECK(split.at("factor") == 3.0);  // of rules/start-simple
  CHECK(split.at("per_minute_with_factor").get<double>() == Approx(0.0333).margin(5e-5));
  CHECK(coalescing.at("per_minute_with_factor").get<double>() == Approx(0.0323).margin(5e-5));
  CHECK(split.at("score") > coalescing.at("score"));
  CHECK(table_row(likely, "kv-split").at("score") < table_row(likely, "memory-coalescing").at("score"));
}

TEST_CASE("the seeds' campaign: the sums that hold, and those that do not") {
  for (const char* what : {"minutes of N to N+7A", "GPU dollars of N to N+7A", "AI dollars of N to N+7A",
                           "dollars of N to N+7A", "minutes of session 2", "GPU dollars of sessions 1 and 2"}) {
    INFO(what);
    CHECK(adds_up(declared_as(what)));
  }
  for (const char* what : {"sessions of N to N+7A", "minutes of N to N+7C", "dollars of N to N+7C",
                           "hours of N to N+7E", "GPU dollars of N to N+7E", "times as many blocks, 4 instead of 2"}) {
    INFO(what);
    CHECK_FALSE(adds_up(declared_as(what)));
  }
  CHECK(computed(declared_as("minutes of N to N+7A")) == 734);
  CHECK(computed(declared_as("dollars of N to N+7A")) == Approx(12.50));
  CHECK(computed(declared_as("sessions of N to N+7A")) == 8);
  CHECK(computed(declared_as("minutes of N to N+7C")) == 959);
  CHECK(computed(declared_as("hours of N to N+7E")) == Approx(1034.0 / 60));
  const json& all = seeds().at("declared");
  CHECK(all.size() == 20);
  CHECK(std::ranges::count_if(all, adds_up) == 7);
}

TEST_CASE("the seeds' campaign: people's minutes were rarely enough") {
  int predicted = 0, held = 0;
  for (const json& sitting : seeds().at("sittings")) {
    const json minutes = sitting.value("predicted_minutes", json());
    if (minutes.is_null()) continue;
    ++predicted;
    if (sitting.at("minutes") <= (minutes.is_array() ? minutes.at(1) : minutes)) ++held;
  }
  CHECK(predicted == 10);
  CHECK(held == 3);  // N+4, N+7G, It4
}

TEST_CASE("the seeds' campaign: every figure has a source") {
  std::set<std::string> iterations;
  for (const json& sitting : seeds().at("sittings")) {
    INFO(sitting.at("iteration"));
    CHECK(iterations.insert(sitting.at("iteration")).second);
    CHECK_FALSE(sitting.at("source").get<std::string>().empty());
  }
  for (const char* list : {"declared", "menu"})
    for (const json& each : seeds().at(list)) CHECK_FALSE(each.at("source").get<std::string>().empty());
}
