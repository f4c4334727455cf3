#include "harness/report/replay.h"

#include <catch2/catch.hpp>

using namespace harness;

namespace {

json stretch(const std::string& technique, double from_s, const std::string& why) {
  return {{"action", "try"},  {"kernel", "k"}, {"workload", "w"},     {"technique", technique},
          {"from_s", from_s}, {"until_s", 99}, {"decisions", 1},      {"evaluations", 3},
          {"passed", 3},      {"score", 2},    {"best_speedup", 2.0}, {"rule", nullptr},
          {"why", why}};
}

json side(const std::string& strategy, const json& decisions) {
  json arms = json::array();
  for (const json& each : decisions)
    arms.push_back({{"kernel", "k"},
                    {"workload", "w"},
                    {"technique", each.at("technique")},
                    {"evaluations", 3},
                    {"spent_s", 30.0},
                    {"best_speedup", 2.0}});
  return {{"strategy", strategy},
          {"search", "random"},
          {"score", 2.0},
          {"spent_s", 60.0},
          {"cost_usd", nullptr},
          {"evaluations", 3},
          {"reached_s", nullptr},
          {"mean_log_score", 0.5},
          {"reason", "budget"},
          {"message", "60 of 60 s are spent"},
          {"arms", arms},
          {"decisions", decisions},
          {"outcomes", {{"passed", 3}}},
          {"predictions", {{"speedup_n", 10}, {"speedup_held", 9}, {"minutes_n", 0}}}};
}

json comparison(const json& recorded, const json& replayed, std::int64_t stand_ins) {
  return {{"campaign", 3},
          {"name", "night"},
          {"device", "cuda:0"},
          {"device_name", "NVIDIA H200"},
          {"kernels", {"k"}},
          {"compared_score", 1.9},
          {"recorded", side("roi", recorded)},
          {"replayed", side("ladder", replayed)},
          {"parting", {{"place", 1}, {"recorded", recorded[0]}, {"replayed", replayed[0]}}},
          {"answers",
           {{"recorded", 3},
            {"stand_ins", stand_ins},
            {"examples", {"x was never evaluated; answered by y"}},
            {"ended_arms", json::array()}}},
          {"notes", {"the source of k 10_tile has changed since"}}};
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a replay's report says how it was answered, where the two part and why") {
  const json was = json::array({stretch("tiling", 0, "the most expected gain")});
  const json would = json::array({stretch("naive", 0, "the simplest rung")});
  const std::string text = report::replay_text(comparison(was, would, 0), false);
  CHECK(holds(text, "campaign 3 \"night\" on cuda:0 (NVIDIA H200): k, replayed with strategy ladder"));
  CHECK(holds(text, "9 of 10 (90 %)"));
  CHECK(holds(text, "the replay ended (budget): 60 of 60 s are spent"));
  CHECK(holds(text, "they part at #1"));
  CHECK(holds(text, "the most expected gain"));
  CHECK(holds(text, "the simplest rung"));
  CHECK(holds(text, "note: the source of k 10_tile has changed since"));
  CHECK_FALSE(holds(text, "stand in"));
  CHECK(holds(report::replay_text(comparison(was, would, 4), false), "4 of them stand in"));
  CHECK_FALSE(holds(text, "by construction"));
  json same = comparison(was, would, 0);
  same["same_by_construction"] = true;
  CHECK(holds(report::replay_text(same, false), "equal scores are by construction"));
}

TEST_CASE("a long replay shows the decisions around where the two part, and all on request") {
  json was = json::array();
  for (int i = 0; i < 40; ++i)
    was.push_back(stretch("t" + std::to_string(i), i, "because of " + std::to_string(i) + "."));
  json long_one = comparison(was, was, 0);
  long_one["parting"]["place"] = 21;
  const std::string text = report::replay_text(long_one, false);
  CHECK(holds(text, "decisions 18 to 33 of 40"));
  CHECK(holds(text, "because of 20."));
  CHECK_FALSE(holds(text, "because of 5."));
  CHECK(holds(report::replay_text(long_one, true), "because of 5."));
}
