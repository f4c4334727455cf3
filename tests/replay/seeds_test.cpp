#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/replay/chronicle_replay.h"
#include "harness/script/strategy/library.h"

// The seeds' campaign under the rules that every campaign has: the shipped Lua files with their defaults.
using namespace harness;

namespace {

const std::filesystem::path kStrategies = std::filesystem::path(HARNESS_SOURCE_DIR) / "strategies";

std::string shipped_text() {
  std::ifstream file(kStrategies / "seeds" / "campaign.json");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

const Chronicle& seeds() {
  static const Chronicle chronicle = read_chronicle(shipped_text(), "strategies/seeds/campaign.json");
  return chronicle;
}

ChronicleReplay replayed_with(const std::string& strategy) {
  script::Library library({kStrategies});
  return replay_chronicle(seeds(), *library.strategy(strategy));
}

const ChronicleReplay& replayed() {
  static const ChronicleReplay replay = replayed_with("seeds/strategy");
  return replay;
}

/// The minute at which a rule first had a reason in a sitting; nullopt: it never had.
std::optional<double> fired(const ChronicleReplay& replay, const std::string& rule, const std::string& iteration) {
  for (const Firing& firing : replay.firings)
    if (firing.rule == rule && firing.iteration == iteration) return firing.minute;
  return std::nullopt;
}

const Saving& saving(const ChronicleReplay& replay, const std::string& rule) {
  for (const Saving& each : replay.savings)
    if (each.rule == rule) return each;
  FAIL("the rule " + rule + " never fired");
  throw std::logic_error("not reached");
}

const json& table_row(const MenuChoice& choice, const std::string& technique) {
  for (const json& row : choice.table)
    if (row.at("technique") == technique) return row;
  FAIL("no row for " + technique);
  throw std::logic_error("not reached");
}

/// A strategy of the shipped rules with other options, in a folder of its own.
class OtherOptions {
 public:
  explicit OtherOptions(const std::string& rules) {
    std::string name = (std::filesystem::temp_directory_path() / "harness-seeds-XXXXXX").string();
    folder_ = mkdtemp(name.data());
    std::ofstream(file()) << "return strategy { name = \"other\", rules = { " << rules
                          << " }, decide = function(campaign) "
                          << "return { action = \"try\", arm = campaign.open[1], why = \"the first\" } end }\n";
  }
  ~OtherOptions() { std::filesystem::remove_all(folder_); }
  std::string file() const { return (folder_ / "other.lua").string(); }

 private:
  std::filesystem::path folder_;
};

}  // namespace

TEST_CASE("the seeds' campaign: the time rule fires at 30, 50 and 60 minutes, and only in these three sittings") {
  CHECK(fired(replayed(), "time-overrun", "N+2") == 30.0);
  CHECK(fired(replayed(), "time-overrun", "N+3") == 50.0);
  CHECK(fired(replayed(), "time-overrun", "It1") == 60.0);
  for (const char* iteration : {"N+7C", "N+7D", "N+7F"}) CHECK_FALSE(fired(replayed(), "time-overrun", iteration));
  CHECK(saving(replayed(), "time-overrun").iterations == std::vector<std::string>{"N+2", "N+3", "It1"});
  CHECK(saving(replayed(), "time-overrun").minutes == Approx(80 + 17 + 90));
}

TEST_CASE("the seeds' campaign: 90 minutes of iteration 1 would have been saved") {
  for (const Firing& firing : replayed().firings)
    if (firing.iteration == "It1" && firing.rule == "time-overrun") CHECK(firing.minutes - firing.minute == 90);
}

TEST_CASE("the seeds' campaign: the cumulative rule stops Split-K 28 minutes into N+7D, and all of it after that") {
  CHECK(fired(replayed(), "technique-budget", "N+7D") == 28.0);
  for (const char* iteration : {"N+7A", "N+7B", "N+7C", "It1"})
    CHECK_FALSE(fired(replayed(), "technique-budget", iteration));
  for (const char* iteration : {"N+7E", "N+7F", "N+7G", "N+7H"})
    CHECK(fired(replayed(), "technique-budget", iteration) == 0.0);
  CHECK(saving(replayed(), "technique-budget").minutes == Approx(17 + 30 + 47 + 30 + 26));
  double split_k = 0;
  for (const ChronicleRow& row : seeds().rows) split_k += row.technique == "split-k" ? row.minutes : 0;
  CHECK(split_k == 510);
}

TEST_CASE("the seeds' campaign: with other factors the rules fire elsewhere") {
  const OtherOptions other(
      "{ \"rules/time-overrun\", options = { factor = 1.5 } }, { \"rules/technique-budget\", options = { factor = 1 } "
      "}");
  const ChronicleReplay replay = replayed_with(other.file());
  CHECK(fired(replay, "time-overrun", "N+2") == 23.0);  // the first whole minute at or after 22.5
  CHECK(fired(replay, "time-overrun", "N+7D") == 45.0);
  CHECK(fired(replay, "time-overrun", "N+7C") == 135.0);
  CHECK(fired(replay, "technique-budget", "N+7B") == std::nullopt);  // one attempt alone is no verdict
  CHECK(fired(replay, "technique-budget", "N+7C") == 0.0);
}

TEST_CASE("the seeds' campaign: the 41x of iteration 2 is refused as a speedup of the kernel") {
  for (const ChronicleRow& row : seeds().rows) {
    if (row.iteration == "It2") {
      CHECK(*row.speedup == 41);
      CHECK(*refused_speedup(row) ==
            "41x is no speedup of the kernel: the time is of b32h8s128d64, compared with one of b1h1s128d64, and times "
            "of "
            "different workloads are never divided");
    } else if (row.outcome == "passed") {
      CHECK_FALSE(refused_speedup(row));
    }
  }
}

TEST_CASE("the seeds' campaign: coalescing is preferred to KV-split only once a success probability enters") {
  REQUIRE(replayed().menu.size() == 2);
  const MenuChoice& kept = replayed().menu[0];
  const MenuChoice& likely = replayed().menu[1];
  const json& split = table_row(kept, "kv-split");
  const json& coalescing = table_row(kept, "memory-coalescing");
  CHECK(split.at("per_minute").get<double>() == Approx(0.100).margin(5e-4));
  CHECK(coalescing.at("per_minute").get<double>() == Approx(0.032).margin(5e-4));
  CHECK(split.at("factor") == 3.0);  // of rules/start-simple
  CHECK(split.at("per_minute_with_factor").get<double>() == Approx(0.0333).margin(5e-5));
  CHECK(coalescing.at("per_minute_with_factor").get<double>() == Approx(0.0323).margin(5e-5));
  CHECK(split.at("score") > coalescing.at("score"));
  CHECK(table_row(likely, "kv-split").at("score") < table_row(likely, "memory-coalescing").at("score"));
  // Up to then several kernels were tried six times and never right; one kernel six times, five of them right.
  CHECK(table_row(likely, "kv-split").at("p").get<double>() == Approx(1.0 / 8));
  CHECK(table_row(likely, "memory-coalescing").at("p").get<double>() == Approx(6.0 / 8));
}

TEST_CASE("the seeds' campaign: the sums that hold, and those that do not") {
  std::map<std::string, FigureCheck> checks;
  for (const FigureCheck& check : check_figures(seeds())) checks[check.what] = check;
  for (const char* what : {"minutes of N to N+7A", "GPU dollars of N to N+7A", "AI dollars of N to N+7A",
                           "dollars of N to N+7A", "minutes of session 2", "GPU dollars of sessions 1 and 2"}) {
    INFO(what);
    CHECK(checks.at(what).holds);
  }
  CHECK(checks.at("minutes of N to N+7A").found == 734);
  CHECK(checks.at("dollars of N to N+7A").found == Approx(12.50));
  CHECK(checks.at("sessions of N to N+7A").found == 8);
  CHECK_FALSE(checks.at("sessions of N to N+7A").holds);
  CHECK(checks.at("minutes of N to N+7C").found == 959);
  CHECK_FALSE(checks.at("minutes of N to N+7C").holds);
  CHECK_FALSE(checks.at("dollars of N to N+7C").holds);
  CHECK(checks.at("hours of N to N+7E").found == Approx(1034.0 / 60));
  CHECK_FALSE(checks.at("hours of N to N+7E").holds);
  CHECK_FALSE(checks.at("GPU dollars of N to N+7E").holds);
  CHECK_FALSE(checks.at("times as many blocks, 4 instead of 2").holds);
}

TEST_CASE("the seeds' campaign: people's predictions are scored like a strategy's") {
  const ChroniclePredictions& score = replayed().predictions;
  CHECK(score.minutes_n == 10);
  CHECK(score.minutes_held == 3);  // N+4, N+7G, It4
  CHECK(score.worst_iteration == "N+2");
  CHECK(score.speedup_held == 0);
  CHECK(score.success_n == 1);
  CHECK(score.succeeded == 0);
  CHECK(*score.success_predicted == Approx(0.95));
}
