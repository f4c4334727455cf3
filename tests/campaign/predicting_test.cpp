#include <catch2/catch.hpp>

#include "harness/campaign/predicted_start.h"
#include "harness/campaign/predictions.h"
#include "tests/campaign/desk_world.h"

// What is predicted before it is measured, and whom it is told.
using namespace harness;
using namespace harness::fakes;

namespace {

/// Answers a ticket once it was asked `patience` times whether one is done. What it predicts: 1000 ns less 100 N.
class FakePredictor : public Predictor {
 public:
  DeviceInfo device() override { return {}; }
  std::string gpu() override { return "H200"; }
  void begin(std::int64_t ticket, std::vector<Realized> candidates) override {
    PredictedTimes times{ticket, {}};
    std::vector<Candidate>& round = rounds.emplace_back();
    for (const Realized& each : candidates) {
      asked.push_back(each.candidate);
      round.push_back(each.candidate);
      times.ns.push_back(1000 - 100.0 * static_cast<double>(std::get<std::int64_t>(each.candidate.config.at("N"))));
    }
    if (fails) times.ns.assign(times.ns.size(), std::nullopt);
    waiting_.push_back(std::move(times));
  }
  std::optional<PredictedTimes> take() override {
    if (waiting_.empty() || patience-- > 0) return std::nullopt;
    PredictedTimes times = std::move(waiting_.front());
    waiting_.erase(waiting_.begin());
    return times;
  }
  std::vector<Candidate> asked;
  std::vector<std::vector<Candidate>> rounds;  // by ticket
  int patience = 0;
  bool fails = false;

 private:
  std::vector<PredictedTimes> waiting_;
};

struct PredictedWorld : World {
  FakePredictor predictor;
  bool predicts = true;
  Snapshot last;

  PredictedWorld() {
    std::erase_if(catalog.info.workloads, [](const Workload& each) { return each.name == "w2"; });
    scripts.decide = [this](const Snapshot& snapshot) {
      last = snapshot;
      for (const ArmState& arm : snapshot.arms)  // the baseline's own arm is answered by the baseline
        if (!arm.exhausted && arm.id.technique == "tile") return FakeScripts::try_arm(arm);
      return FakeScripts::first_open(snapshot);
    };
  }
  CampaignSummary go(std::optional<std::int64_t> resume = {}) {
    CampaignPorts ports{catalog, scripts, evaluator, ledger, display, clock, {}, json::object()};
    ports.diagnoser = &diagnoser;
    if (predicts) ports.predictor = &predictor;
    return Campaign(std::move(ports), options, resume).run();
  }
  /// The configurations that searches were told of with their results, and how many results had come before.
  std::vector<std::string> told_late() const {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < scripts.told.size(); ++i)
      for (const EarlierResult& news : scripts.told[i].elsewhere)
        all.push_back(std::to_string(i) + ": " + to_text(news.config));
    return all;
  }
  const ArmState& tile() const {
    return *std::ranges::find(last.arms, "tile", [](const auto& a) { return a.id.technique; });
  }
};

}  // namespace

TEST_CASE("a search that nothing is known of begins with what is predicted to be fastest") {
  PredictedWorld world;
  world.go();
  CHECK(world.predictor.asked.size() == 8);  // the baseline's one configuration is no choice
  const std::vector<EarlierResult>& known = world.scripts.known.at("w1");
  REQUIRE(known.size() == 3);
  CHECK(to_text(known[0].config) == "N=8");
  CHECK(to_text(known[2].config) == "N=6");
  CHECK(known[0].device_name == "H200, predicted");
  CHECK_FALSE(known[0].distance);  // behind whatever was measured elsewhere
  CHECK(world.told_late().empty());
  REQUIRE(world.display.start.notes.size() == 1);
  CHECK_THAT(world.display.start.notes[0], Catch::Contains("predicted for H200"));
}

TEST_CASE("strategies see the fastest that was counted for a workload, beside what the manifest says") {
  PredictedWorld world;
  world.go();
  CHECK(world.tile().predicted_ns == 200.0);  // N=8
  CHECK(world.tile().predicted_points == 8);
  CHECK(world.tile().prior.speedup_lo == 2);
  CHECK(world.tile().prior.speedup_hi == 4);
  PredictedWorld without;
  without.predicts = false;
  without.go();
  CHECK_FALSE(without.tile().predicted_ns);
}

TEST_CASE(
    "an arm has a few predicted configurations before any has more: where its space begins, then the nearest best") {
  PredictedWorld world;
  world.go();
  const std::vector<std::vector<Candidate>> rounds = world.predictor.rounds;
  REQUIRE(rounds.size() == 2);
  CHECK(rounds[0].size() == 3);
  CHECK(rounds[1].size() == 5);
  PredictedWorld told;  // the space begins with N=1
  told.ledger.earlier_of_others = {{"w1", "gpu", "10_tile", {{"N", std::int64_t{5}}}, OutcomeKind::passed, 50.0, {}}};
  told.go();
  REQUIRE(told.predictor.rounds.size() == 2);
  CHECK(to_text(told.predictor.rounds[0][0].config) == to_text(rounds[0][0].config));
  CHECK(to_text(told.predictor.rounds[0][1].config) == "N=5");
}

TEST_CASE("predictions that come late are told with the next result, and again so when the campaign is resumed") {
  PredictedWorld whole;
  whole.predictor.patience = 2;
  whole.go();
  const std::vector<std::string> expected = whole.told_late();
  REQUIRE(expected.size() == 3);
  CHECK(expected[0].ends_with("N=8"));
  CHECK_FALSE(expected[0].starts_with("0:"));
  const auto kept = whole.ledger.campaigns.at(0).options.get<CampaignOptions>().predicted;
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].points.size() == 3);
  CHECK(kept[1].points.size() == 5);
  CHECK_FALSE(kept[0].begins);
  CHECK(kept[0].after > 0);

  PredictedWorld parts;
  parts.predictor.patience = 2;
  parts.options.budget_s = 8;
  parts.go();
  REQUIRE(parts.told_late() == expected);
  parts.scripts.told.clear();
  parts.options = parts.ledger.campaigns.at(0).options.get<CampaignOptions>();
  parts.options.budget_s.reset();
  parts.go(1);
  CHECK(parts.told_late() == expected);
  CHECK(parts.predictor.asked.size() == 8);  // a resumed campaign asks for nothing more
}

TEST_CASE("a campaign that is led again by its record is told the same at the same point, with nobody to predict") {
  for (const int patience : {0, 4}) {
    PredictedWorld recorded;
    recorded.predictor.patience = patience;
    recorded.go();
    PredictedWorld again;
    again.predicts = false;
    again.options = recorded.ledger.campaigns.at(0).options.get<CampaignOptions>();
    REQUIRE(again.options.predicted.size() == 2);
    CHECK(again.options.predicted[0].begins == (patience == 0));
    again.go();
    CHECK(again.told_late() == recorded.told_late());
    CHECK(again.scripts.known.at("w1").size() == recorded.scripts.known.at("w1").size());
    CHECK(again.ledger.campaigns.at(0).options.get<CampaignOptions>().predicted.size() == 2);
  }
}

TEST_CASE("nothing is predicted where the arm itself was tried before, or nobody wants it") {
  PredictedWorld known;
  known.ledger.earlier.arms = {{{"k", "w1", "tile"}, 1, 12, 3, 99.0, 4.5}};
  known.go();
  CHECK(known.predictor.asked.empty());
  PredictedWorld off;
  off.options.predict = "off";
  off.go();
  CHECK(off.predictor.asked.empty());
  CHECK(off.display.start.notes.empty());
  PredictedWorld failing;
  failing.predictor.fails = true;
  CHECK(failing.go().reason == EndReason::exhausted);
  CHECK(failing.scripts.known.at("w1").empty());
  CHECK(failing.ledger.campaigns.at(0).options.get<CampaignOptions>().predicted.empty());
}

TEST_CASE("an arm awaits its predictions from their beginning until its search was told of them") {
  DeskWorld world;
  FakePredictor predictor;
  predictor.patience = 1;
  CampaignContext& context = world.context();
  context.ports.predictor = &predictor;
  const Arm& tile = *find_arm(context.state.arms(), {"k", "w1", "tile"});
  Predictions desk(context);
  CHECK_FALSE(desk.awaits(tile));
  desk.begin(false);
  CHECK(desk.awaits(tile));
  CHECK_FALSE(desk.awaits(*find_arm(context.state.arms(), {"k", "w1", "base"})));
  desk.take();  // not yet
  CHECK(desk.awaits(tile));
  desk.take();
  CHECK_FALSE(desk.awaits(tile));
  CHECK(context.options.predicted.size() == 4);  // a first round and a second, of both workloads
}

TEST_CASE("a campaign that goes on predicts nothing anew, and is told what it recorded when it was known") {
  DeskWorld world;
  FakePredictor predictor;
  PredictedStart recorded{{"k", "w1", "tile"}, "H200", 1, true, {{"10_tile", {{"N", std::int64_t{8}}}, 200}}};
  world.options.predicted = {recorded};
  CampaignContext& context = world.context();
  context.ports.predictor = &predictor;
  Predictions desk(context);
  desk.begin(true);
  CHECK(predictor.asked.empty());
  const Arm& tile = *find_arm(context.state.arms(), recorded.arm);
  desk.tell_recorded();
  CHECK(desk.awaits(tile));  // it was known after the first iteration
  context.state.apply(DeskWorld::passed(1, 0, 1000));
  desk.tell_recorded();
  CHECK_FALSE(desk.awaits(tile));
}
