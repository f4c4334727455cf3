#include "harness/store/pattern_evidence.h"

#include <catch2/catch.hpp>

#include "harness/store/campaign_lesson.h"
#include "tests/store/recorded.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

const RulePatterns kRules{{"time-overrun", 17}, {"plateau", 14}};

/// One campaign, written as the loop writes it.
class Diary {
 public:
  explicit Diary(Store& store, const CampaignRecord& record = a_campaign())
      : store_(store), campaign_(store.begin_campaign(record)) {}

  std::int64_t decide(Action action, const std::string& technique, std::optional<std::string> rule = {}) {
    Decision decision = a_decision(technique);
    decision.action = action;
    decision.rule = std::move(rule);
    decision_ = store_.record_decision(campaign_, decision, {}, {"roi", "h"}, 1750000000, 0.001);
    return decision_;
  }
  void evaluate(const std::string& technique, Evaluation evaluation, Purpose purpose = Purpose::search) {
    AttemptRecord attempt = an_attempt(campaign_, ++ask_, technique);
    attempt.decision = decision_;
    attempt.purpose = purpose;
    record(store_, attempt, evaluation);
  }
  std::int64_t campaign() const { return campaign_; }

 private:
  Store& store_;
  std::int64_t campaign_, decision_ = 0, ask_ = 0;
};

Evaluation no_faster(double time_ns) {
  Evaluation evaluation = passed(time_ns);
  std::get<Passed>(evaluation.outcome).timing.verdict = Comparison::same;
  return evaluation;
}

}  // namespace

TEST_CASE("a close by a rule is followed by what was tried next") {
  auto store = Store::in_memory();
  Diary diary(*store);
  diary.decide(Action::try_arm, "split-kv");
  diary.evaluate("split-kv", passed(1000), Purpose::baseline);
  diary.evaluate("split-kv", wrong());
  const std::int64_t close = diary.decide(Action::close, "split-kv", "time-overrun");
  diary.decide(Action::try_arm, "tiling");
  diary.evaluate("tiling", passed(250));
  diary.decide(Action::try_arm, "tiling");
  diary.evaluate("tiling", passed(200));
  diary.decide(Action::try_arm, "wmma");  // another arm: the application has ended
  diary.evaluate("wmma", passed(100));
  const auto found = pattern_applications(*store, kRules);
  REQUIRE(found.size() == 1);
  CHECK(found[0].id == 17);
  CHECK(found[0].decision == close);
  CHECK(found[0].rule == "time-overrun");
  CHECK(found[0].action == Action::close);
  CHECK(found[0].technique == "tiling");
  CHECK(found[0].evaluations == 2);
  CHECK(found[0].passed == 2);
  CHECK(found[0].seconds == Approx(1.4));
  CHECK(*found[0].usd == Approx(0.0014));
  CHECK(*found[0].gain == Approx(5));
  CHECK_FALSE(found[0].emulation);
}

TEST_CASE("a pivot by a rule is followed by its own arm, and a time no faster gains nothing") {
  auto store = Store::in_memory();
  Diary diary(*store);
  diary.decide(Action::try_arm, "tiling");
  diary.evaluate("tiling", passed(1000), Purpose::baseline);
  diary.evaluate("tiling", passed(500));
  diary.decide(Action::try_arm, "split-kv", "plateau");
  diary.evaluate("split-kv", no_faster(499));
  diary.decide(Action::try_arm, "tiling", "plateau");
  diary.evaluate("tiling", wrong());
  const auto found = pattern_applications(*store, kRules);
  REQUIRE(found.size() == 2);
  CHECK(found[0].technique == "split-kv");
  CHECK(*found[0].gain == 1);
  CHECK(found[1].technique == "tiling");
  CHECK(found[1].passed == 0);
  CHECK(*found[1].gain == 1);
}

TEST_CASE("a rule that fires again on the same arm goes on with the same application") {
  auto store = Store::in_memory();
  Diary diary(*store);
  diary.decide(Action::try_arm, "tiling");
  diary.evaluate("tiling", passed(1000), Purpose::baseline);
  for (const double time : {900.0, 800.0}) {
    diary.decide(Action::try_arm, "split-kv", "plateau");
    diary.evaluate("split-kv", passed(time));
  }
  const auto found = pattern_applications(*store, kRules);
  REQUIRE(found.size() == 1);
  CHECK(found[0].evaluations == 2);
  CHECK(*found[0].gain == Approx(1.25));
}

TEST_CASE("an application is counted once a sitting, also where another arm is closed in its midst") {
  auto store = Store::in_memory();
  Diary diary(*store);
  diary.decide(Action::try_arm, "tiling", "time-overrun");
  diary.evaluate("tiling", passed(1000), Purpose::baseline);
  diary.evaluate("tiling", passed(900));
  diary.decide(Action::close, "split-kv", "time-overrun");
  diary.decide(Action::try_arm, "tiling", "time-overrun");
  diary.evaluate("tiling", passed(800));
  CHECK(pattern_applications(*store, kRules).size() == 1);
  diary.decide(Action::close, "wmma", "time-overrun");
  diary.decide(Action::try_arm, "mma");  // the sitting is over: the close has its own application
  diary.evaluate("mma", passed(400));
  const auto found = pattern_applications(*store, kRules);
  REQUIRE(found.size() == 2);
  CHECK(found[0].evaluations == 3);
  CHECK(*found[0].gain == Approx(1.25));
  CHECK(found[1].technique == "mma");
  CHECK(*found[1].gain == Approx(2));
}

TEST_CASE("what ends a campaign was followed by nothing, and rules without a pattern are no application") {
  auto store = Store::in_memory();
  Diary diary(*store);
  diary.decide(Action::try_arm, "tiling");
  diary.evaluate("tiling", passed(1000), Purpose::baseline);
  diary.decide(Action::stop, "", "enough");
  diary.decide(Action::close, "tiling", "time-overrun");
  const auto found = pattern_applications(*store, kRules);
  REQUIRE(found.size() == 1);
  CHECK(found[0].technique == "");
  CHECK(found[0].evaluations == 0);
  CHECK_FALSE(found[0].gain);
}

TEST_CASE("earlier campaigns only, and money that is unknown stays unknown") {
  auto store = Store::in_memory();
  CampaignRecord unpriced = a_campaign("a CPU");
  unpriced.device = "cpu";
  unpriced.environment = {{"device", {{"emulation", true}}}};
  for (int i = 0; i < 2; ++i) {
    Diary diary(*store, unpriced);
    diary.decide(Action::try_arm, "tiling", "plateau");
    Evaluation evaluation = passed(500);
    evaluation.cost.usd.reset();
    diary.evaluate("tiling", evaluation);
  }
  CHECK(pattern_applications(*store, kRules).size() == 2);
  const auto first = pattern_applications(*store, kRules, 2);
  REQUIRE(first.size() == 1);
  CHECK(first[0].emulation);
  CHECK_FALSE(first[0].usd);
  CHECK_FALSE(first[0].gain);  // nothing was measured before
}

TEST_CASE("a campaign's lesson has its techniques, dearest first, and what rules left") {
  auto store = Store::in_memory();
  Diary diary(*store);
  diary.decide(Action::try_arm, "split-kv");
  for (int i = 0; i < 3; ++i) diary.evaluate("split-kv", wrong());
  diary.decide(Action::close, "split-kv", "time-overrun");
  diary.decide(Action::try_arm, "tiling");
  diary.evaluate("tiling", passed(500));
  diary.decide(Action::try_arm, "wmma");
  diary.evaluate("wmma", passed(250));
  store->end_campaign(diary.campaign(), EndReason::exhausted, 12, 0.5);
  const CampaignLesson lesson = campaign_lesson(*store, diary.campaign());
  CHECK(lesson.reason == "exhausted");
  CHECK(*lesson.cost_usd == 0.5);
  REQUIRE(lesson.techniques.size() == 3);
  CHECK(lesson.techniques[0].technique == "split-kv");
  CHECK(lesson.techniques[0].outcomes == std::map<std::string, std::int64_t>{{"wrong_answer", 3}});
  CHECK_FALSE(lesson.techniques[0].gain_lo);
  const auto& wmma = lesson.techniques[2];
  CHECK(*wmma.best_speedup == Approx(4));
  CHECK(*wmma.gain_hi == Approx(2));
  REQUIRE(lesson.rules.size() == 1);
  CHECK(lesson.rules[0].rule == "time-overrun");
  CHECK(lesson.rules[0].action == "close");
  CHECK(lesson.rules[0].decisions == 1);
  CHECK_THROWS(campaign_lesson(*store, 99));
}

TEST_CASE("a decision applies the patterns that it names, each by itself") {
  auto store = Store::in_memory();
  const std::int64_t campaign = store->begin_campaign(a_campaign());
  const auto decide = [&](const std::string& technique, std::vector<std::int64_t> patterns, double time_ns) {
    Decision decision = a_decision(technique);
    decision.patterns = std::move(patterns);
    AttemptRecord attempt = an_attempt(campaign, static_cast<std::int64_t>(time_ns), technique);
    attempt.decision = store->record_decision(campaign, decision, {}, {"roi", "h"}, 1750000000, 0.001);
    record(*store, attempt, passed(time_ns));
  };
  decide("tiling", {}, 1000);
  decide("split-kv", {112, 18}, 800);
  decide("split-kv", {18}, 500);
  decide("tiling", {18}, 400);
  const auto found = pattern_applications(*store, {});
  REQUIRE(found.size() == 3);
  CHECK(found[0].id == 18);
  CHECK(*found[0].gain == Approx(2));
  CHECK(found[1].id == 112);
  CHECK(found[1].evaluations == 2);
  CHECK(found[2].id == 18);
  CHECK(*found[2].gain == Approx(1.25));
  CHECK(store->pattern_applications(campaign, "NVIDIA H200").empty());
  CHECK(store->pattern_applications(campaign + 1, "NVIDIA H200").size() == 3);
  CHECK(store->pattern_applications(campaign + 1, "a CPU").empty());
}
