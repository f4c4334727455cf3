#include <catch2/catch.hpp>

#include "harness/core/json.h"
#include "tests/campaign/world.h"

// The loop with a proposer: what is asked, what is taken in, what it costs, and that nothing it answers ends a
// campaign.
using namespace harness;
using namespace harness::fakes;

namespace {

Decision propose(const ArmState& arm, std::vector<std::string> parents = {"10_tile"}) {
  Decision decision;
  decision.action = Action::propose;
  decision.arm = arm.id;
  decision.why = "more is wanted";
  decision.ask = "one change";
  decision.parents = std::move(parents);
  return decision;
}

/// Asks as long as fewer than `wanted` were asked, and meanwhile tries what is open.
FakeStrategy::Decide asks(int wanted) {
  return [wanted](const Snapshot& snapshot) {
    const ProposerState& proposer = *snapshot.proposer;
    if (proposer.asked < wanted && proposer.ready && !proposer.in_flight) return propose(snapshot.arms.front());
    return FakeScripts::first_open(snapshot);
  };
}

/// A world with one workload and a proposer that gives these replies in turn, the last one again and again.
struct Proposing : World {
  explicit Proposing(std::vector<std::string> replies, int wanted = 1) {
    options.workloads = {"w1"};
    proposes = true;
    scripts.decide = asks(wanted);
    proposer.reply = [this, replies](const ProposalRecord&, ProposerAnswer& answer) {
      answer.text = replies[std::min(given++, replies.size() - 1)];
    };
  }
  std::size_t given = 0;
  std::vector<std::string> outcomes() const {
    std::vector<std::string> all;
    for (const ProposalRecord& each : ledger.proposed) all.emplace_back(name(each.outcome));
    return all;
  }
};

std::string whole_file(const std::string& source) {
  return json{{"source", source}, {"hypothesis", "it is better"}, {"label", "mine"}, {"predict", {{"speedup", {2, 3}}}}}
      .dump();
}

int evaluations_of(const FakeLedger& ledger, const std::string& variant) {
  return static_cast<int>(
      std::ranges::count_if(ledger.rows, [&](const auto& row) { return row.candidate.variant == variant; }));
}

}  // namespace

TEST_CASE("An accepted proposal is searched like any variant, and its attempts say whose they are") {
  Proposing world({whole_file("new source")});
  world.evaluator.answer = [](const EvaluationRequest& request) {
    if (request.realized.candidate.variant == "proposed_1") return FakeEvaluator::passed(50, request);
    return FakeEvaluator::honest(request);
  };
  const CampaignSummary summary = world.run();
  REQUIRE(world.outcomes() == std::vector<std::string>{"accepted"});
  CHECK(world.ledger.proposed[0].hypothesis == "it is better");
  CHECK(world.ledger.proposed[0].source == "new source");
  CHECK(evaluations_of(world.ledger, "proposed_1") == 8 + 1);  // its points, and the confirmation
  CHECK(summary.best[0].state.best_variant == "proposed_1");
  CHECK(summary.best[0].state.best_technique == "base~1");
  const auto attempt = std::ranges::find_if(
      world.ledger.attempts, [](const AttemptRecord& each) { return each.candidate.variant == "proposed_1"; });
  REQUIRE(attempt != world.ledger.attempts.end());
  CHECK(attempt->label == "mine");
  CHECK(attempt->parent.has_value());
}

TEST_CASE("A request holds contract, parents and what was tried, and is recorded with its reply") {
  Proposing world({whole_file("new source")});
  world.run();
  const json request = json::parse(world.ledger.proposed.at(0).request);
  CHECK(request.at("ask") == "one change");
  CHECK(request.at("parents").at(0).at("source") == "source of 10_tile");
  CHECK(request.at("tried").size() == 1);  // the baseline came first
  CHECK(world.ledger.proposed[0].reply.find("new source") != std::string::npos);
}

TEST_CASE("The source of a known variant or of an earlier proposal is refused unevaluated, and its twin named") {
  Proposing world({whole_file("source of 10_tile // with a comment"), whole_file("new  source"),
                   whole_file("new /* spaces */ source"), whole_file("another one")},
                  2);
  world.run();
  CHECK(world.outcomes() == std::vector<std::string>{"twin", "accepted", "twin", "accepted"});
  CHECK(world.ledger.proposed[0].twin == "10_tile");
  CHECK(world.ledger.proposed[2].twin == "proposed_2");
  CHECK(world.ledger.proposed[3].second_to == 3);
  CHECK(evaluations_of(world.ledger, "proposed_1") == 0);
}

TEST_CASE("A reply that cannot be used is charged, and answered once with what was wrong") {
  Proposing world({"no JSON at all"});
  world.proposer.latency_s = 3;
  world.run();
  REQUIRE(world.outcomes() == std::vector<std::string>{"unparsable", "unparsable"});
  CHECK(world.ledger.proposed[1].second_to == 1);
  const json again = json::parse(world.ledger.proposed[1].request);
  CHECK(again.at("again").at("wrong") == world.ledger.proposed[0].message);
  CHECK(again.at("again").at("your_reply") == "no JSON at all");
}

TEST_CASE("Nothing that a proposer answers ends a campaign") {
  const std::string reply =
      GENERATE(std::string(""), std::string("{"), std::string("[1, 2]"), std::string("{\"source\": 7}"),
               std::string("{\"source\": \"\"}"), std::string("\xff\xfe"), std::string("{\"source\": \"a\\u0000b\"}"),
               std::string("{\"edits\": [{\"search\": \"not there\", \"replace\": \"\"}]}"),
               std::string("{\"edits\": [{\"search\": \"\", \"replace\": \"x\"}]}"),
               std::string("{\"source\": \"x\", \"manifest\": {\"stages\": \"function() end\"}}"),
               std::string("{\"source\": \"x\", \"manifest\": {\"steps\": \"function() broken\"}}"),
               std::string("{\"refusal\": \"no\"}"), std::string(100000, '['));
  Proposing world({reply});
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(summary.best[0].state.best_variant == "10_tile");
  for (const ProposalRecord& each : world.ledger.proposed) {
    CHECK(each.outcome != ProposalOutcome::accepted);
    CHECK(!each.message.empty());
  }
}

TEST_CASE("A proposed manifest that fails while it is judged is rejected; another variant's ends the campaign") {
  Proposing world({whole_file("new source")});
  std::string broken = GENERATE(std::string("proposed_1"), std::string("10_tile"));
  world.evaluator.answer = [broken](const EvaluationRequest& request) {
    if (request.realized.candidate.variant == broken) throw bad_input("its manifest fails");
    return FakeEvaluator::honest(request);
  };
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == (broken == "10_tile" ? EndReason::script_error : EndReason::exhausted));
  if (broken == "proposed_1") CHECK(summary.outcomes.at("rejected") == 8);
}

TEST_CASE("The machine code of another variant closes a proposal after one look") {
  Proposing world({whole_file("new source")});
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    if (request.realized.candidate.variant == "proposed_1") return NoEffect{1};
    return FakeEvaluator::honest(request);
  };
  world.run();
  CHECK(evaluations_of(world.ledger, "proposed_1") == 1);
}

TEST_CASE("Evaluations go on while a request is under way, and a campaign with nothing else to do waits for it") {
  Proposing world({whole_file("new source")});
  world.proposer.latency_s = 20;  // longer than all that is open: 8 evaluations of a second
  world.run();
  CHECK(world.outcomes() == std::vector<std::string>{"accepted"});
  CHECK(evaluations_of(world.ledger, "proposed_1") >= 8);
  CHECK(world.ledger.charged["propose"] > 5);
  CHECK(world.ledger.charged["propose"] < 20);  // the rest passed beside evaluations
}

TEST_CASE("So many requests are under way as are allowed, and each answer is for its own") {
  Proposing world({}, 6);
  world.options.proposals_at_once = 3;
  world.proposer.latency_s = 20;
  std::size_t most = 0;
  world.scripts.decide = [&most](const Snapshot& snapshot) {
    const ProposerState& proposer = *snapshot.proposer;
    most = std::max(most, static_cast<std::size_t>(proposer.under_way));
    if (proposer.asked < 6 && proposer.ready && proposer.under_way < proposer.most_under_way)
      return propose(snapshot.arms.front());
    return FakeScripts::first_open(snapshot);
  };
  world.proposer.reply = [](const ProposalRecord& asked, ProposerAnswer& answer) {
    answer.text = whole_file("source " + std::to_string(asked.number));
  };
  world.run();
  CHECK(most == 3);
  CHECK(world.outcomes() == std::vector<std::string>(6, "accepted"));
  for (const ProposalRecord& each : world.ledger.proposed)
    CHECK(each.source == "source " + std::to_string(each.number));
  CHECK(json::parse(world.ledger.proposed[1].request).at("asked_beside").size() == 1);  // the first was under way then
  CHECK(world.ledger.charged["propose"] < 2 * 20);  // two rounds of three, and evaluations beside them
}

TEST_CASE("What was under way when a campaign ended is recorded as interrupted, all of it") {
  Proposing world({}, 2);
  world.proposer.latency_s = 1e6;
  world.options.budget_s = 60;
  world.scripts.decide = [](const Snapshot& snapshot) {
    if (snapshot.proposer->under_way < 2) return propose(snapshot.arms.front());
    return FakeScripts::first_open(snapshot);
  };
  world.run();
  CHECK(world.outcomes() == std::vector<std::string>(2, "interrupted"));
  CHECK(world.proposer.cancelled == 1);
}

TEST_CASE("A source that an earlier campaign evaluated is refused unevaluated, with what became of it") {
  Proposing world({whole_file("the  older source")});
  world.ledger.older_sources = {{"older", "the older // as it was\nsource"}, {"another", "nothing like it"}};
  world.ledger.older_twin = RecordedTwin{3, 57, "proposed_2", "wrong_answer", std::nullopt};
  world.run();
  REQUIRE(world.outcomes() == std::vector<std::string>{"twin", "twin"});  // answered once with what was wrong
  CHECK(world.ledger.proposed[0].twin == "proposed_2");
  CHECK_THAT(world.ledger.proposed[0].message,
             Catch::Contains("proposed_2 of campaign 3, which ended as wrong_answer in iteration 57"));
  CHECK(evaluations_of(world.ledger, "proposed_1") == 0);
}

TEST_CASE("A twin of a recorded winner is taken in with its evidence, and its machine code is no twin's") {
  Proposing world({whole_file("the  older source")});
  world.ledger.older_sources = {{"older", "the older // as it was\nsource"}};
  world.ledger.older_twin = RecordedTwin{3, 57, "proposed_2", "passed", 2.5};
  world.evaluator.answer = [](const EvaluationRequest& request) {
    if (request.recorded_with) request.recorded_with("hash");
    return FakeEvaluator::honest(request);
  };
  world.run();
  REQUIRE(world.outcomes() == std::vector<std::string>{"accepted"});
  CHECK_THAT(world.ledger.proposed[0].message, Catch::Contains("campaign 3, which passed at 2.50x in iteration 57"));
  CHECK_THAT(world.ledger.proposed[0].manifest, Catch::Contains("speedup = { 2.4250, 2.5750 }"));
  CHECK(evaluations_of(world.ledger, "proposed_1") > 0);
  CHECK(world.ledger.asked_before.empty());
}

namespace {

RecordedWinner recorded_winner(const std::string& source, double speedup) {
  RecordedWinner winner;
  winner.iteration = 57;
  winner.workload = "w1";
  winner.speedup = speedup;
  winner.config = {{"N", std::int64_t{16}}};
  winner.proposal.campaign = 3;
  winner.proposal.variant = "proposed_4";
  winner.proposal.arm = {"k", "w1", "tile~4"};
  winner.proposal.parents = {"proposed_2"};
  winner.proposal.source = source;
  winner.proposal.hypothesis = "it was better";
  return winner;
}

}  // namespace

TEST_CASE(
    "A campaign begins with the recorded winners, whether somebody proposes or not, and counts them as nobody's") {
  World world;
  world.options.workloads = {"w1"};
  world.ledger.winners = {recorded_winner("a source of before", 4), recorded_winner("a  source of before", 3.5),
                          recorded_winner("another", 3), recorded_winner("one too many", 2)};
  world.run();
  REQUIRE(world.ledger.proposed.size() == 2);  // of each workload, and each source once
  const ProposalRecord& record = world.ledger.proposed[0];
  CHECK(record.proposer == kFromRecord);
  CHECK(record.variant == "proposed_1");
  CHECK(record.parents == std::vector<std::string>{"00_base"});  // what it began with then is not here
  CHECK_THAT(record.message, Catch::Contains("proposed_4 of campaign 3, 4.00x in iteration 57"));
  CHECK_THAT(record.manifest, Catch::Contains("made.technique = \"tile~1\"") && Catch::Contains("[\"N\"] = 16"));
  CHECK(evaluations_of(world.ledger, "proposed_1") > 0);
  Proposing proposing({whole_file("new source")}, 1);
  proposing.ledger.winners = world.ledger.winners;
  std::optional<ProposerState> first;
  proposing.scripts.decide = [&](const Snapshot& snapshot) {
    if (!first) first = snapshot.proposer;
    return asks(1)(snapshot);
  };
  proposing.run();
  CHECK(first->asked == 0);
  CHECK(proposing.ledger.proposed.back().number == 3);
  const json request = json::parse(proposing.ledger.proposed.back().request);
  CHECK(request.at("tried").at(0).at("variant") == "proposed_4 of campaign 3");
}

TEST_CASE("A campaign that was told its variants takes none of the record over") {
  World world;
  world.options.workloads = {"w1"};
  world.options.variants = {"00_base"};
  world.ledger.winners = {recorded_winner("a source of before", 4)};
  world.run();
  CHECK(world.ledger.proposed.empty());
}

TEST_CASE("Machine code of earlier campaigns counts for proposals only") {
  Proposing world({whole_file("new source")});
  world.evaluator.answer = [](const EvaluationRequest& request) {
    if (request.recorded_with) request.recorded_with("hash");
    return FakeEvaluator::honest(request);
  };
  world.run();
  const auto asked = static_cast<int>(world.ledger.asked_before.size());
  CHECK(asked == 8);  // the proposal's points, and none of the other variants'
  CHECK(world.ledger.asked_before.at(0).kernel == "k");
}

TEST_CASE("What earlier campaigns know of a proposer is in the snapshot") {
  Proposing world({whole_file("new source")}, 0);
  world.ledger.history = {10, 4, 0.3, 12.0, 0.05};
  std::optional<ProposerState> seen;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    seen = snapshot.proposer;
    return FakeScripts::first_open(snapshot);
  };
  world.run();
  REQUIRE(seen);
  CHECK(seen->earlier_asked == 10);
  CHECK(seen->earlier_improved == 4);
  CHECK(seen->latency_s == 12.0);
  CHECK(seen->usd_each == 0.05);
}

TEST_CASE("A request over 100,000 tries is small, and made quickly enough to be asked often") {
  RequestParts parts;
  parts.arm = {"k", "w", "base"};
  parts.parents.emplace_back().texts.source = std::string(20000, 's');
  for (int i = 0; i < 100000; ++i)
    parts.tried.push_back({"variant", std::string(100, 'h'), "wrong_answer", std::string(100, 'm'), "rows >= 64", {}});
  const std::string text = request_text(std::move(parts), 24000);
  CHECK(estimated_tokens(text) <= 24000);
  const json request = json::parse(text);
  CHECK(request.at("tried").size() == 24);
  CHECK(request.at("left_out") == json::array({"older tries"}));
}

TEST_CASE("A proposer that is silent is asked no more") {
  Proposing world({""}, 100);
  world.proposer.reply = [](const ProposalRecord&, ProposerAnswer& answer) {
    answer.end = ProposerAnswer::End::timed_out;
    answer.why = "no reply within 5 s";
  };
  CHECK(world.run().reason == EndReason::exhausted);
  CHECK(world.outcomes() == std::vector<std::string>(4, "timed_out"));
}

TEST_CASE("A proposer of which nothing is accepted is asked no more, whatever the strategy wants") {
  Proposing world({"{\"refusal\": \"no\"}"}, 1000);
  CHECK(world.run().reason == EndReason::exhausted);
  CHECK(world.outcomes() == std::vector<std::string>(32, "refused"));
}

TEST_CASE("A request is not sent where its tokens might cost more than is left") {
  Proposing world({"no JSON"}, 100);
  world.options.max_cost_usd = 1;
  world.options.token_price = TokenPrice{10, 10, 10};  // up to 0.40 a request, by its limits
  world.proposer.reply = [](const ProposalRecord&, ProposerAnswer& answer) {
    answer.text = R"({"usage": {"tokens_in": 20000, "tokens_out": 10000}})";
  };
  world.run();
  CHECK(world.outcomes().size() == 3);  // 0.90 are spent then
  CHECK(world.ledger.proposed[0].usage.usd == Approx(0.3));
  CHECK(world.ledger.proposed[0].usage.usd_source == "token price");
}

TEST_CASE("A request is bounded whatever the history, and what is left out is said") {
  Proposing world({"{}"}, 3);
  world.options.request_tokens = 1500;
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    if (request.realized.candidate.variant == "00_base") return FakeEvaluator::passed(1000, request);
    return WrongAnswer{std::string(5000, 'x'), {}, "rows >= 64"};
  };
  world.run();
  REQUIRE(world.ledger.proposed.size() >= 2);
  for (const ProposalRecord& each : world.ledger.proposed) CHECK(each.request.size() < 1500 * 3.2);
}

namespace {

/// With a second proposer, called "other", that asks the price of tokens; what it is asked is refused.
struct TwoProposing : Proposing {
  TwoProposing() : Proposing({whole_file("new source")}, 0) {
    further_proposers = {&other};
    proposer.named = "first=command:p";
    other.reply = [](const ProposalRecord&, ProposerAnswer& answer) {
      answer.text = R"({"refusal": "no", "usage": {"tokens_in": 1000000, "tokens_out": 0}})";
    };
    options.proposer = "first=command:p";
    options.further_proposers = {{"other=command:q", TokenPrice{2, 4, 2}}};
    scripts.decide = [this](const Snapshot& snapshot) {
      if (turn >= asked.size() || snapshot.proposer->in_flight) return FakeScripts::first_open(snapshot);
      states = snapshot.proposers;
      Decision decision = propose(snapshot.arms.front());
      decision.proposer = asked[turn++];
      return decision;
    };
  }
  FakeProposer other{clock, "other=command:q"};
  std::vector<std::string> asked;
  std::size_t turn = 0;
  std::vector<ProposerState> states;
};

}  // namespace

TEST_CASE("Each of several proposers has its own requests, price, record and row") {
  TwoProposing world;
  world.asked = {"other", "first", "other", ""};
  const CampaignSummary summary = world.run();
  std::vector<std::string> specs;
  for (const ProposalRecord& each : world.ledger.proposed) specs.push_back(each.proposer);
  const std::string first = "first=command:p", other = "other=command:q";
  CHECK(specs == std::vector<std::string>{other, first, other, first, first});  // a twin is asked again, of the same
  CHECK(world.ledger.proposed[0].usage.usd == 2.0);
  REQUIRE(world.states.size() == 2);
  CHECK(world.states[0].name == "first");
  CHECK(world.states[0].asked == 1);
  CHECK(world.states[1].asked == 2);
  CHECK(world.states[1].usd == 4.0);
  REQUIRE(summary.proposers.size() == 2);
  CHECK(summary.proposers[0].accepted == 1);
  CHECK(summary.proposers[0].device_s > 0);
  CHECK(summary.proposers[1].usd == 4.0);
  CHECK(summary.proposers[1].device_s == 0);
}

TEST_CASE("One of several proposers that is silent is asked no more, and the others are") {
  TwoProposing world;
  world.other.reply = [](const ProposalRecord&, ProposerAnswer& answer) {
    answer.end = ProposerAnswer::End::timed_out;
  };
  world.asked = {"other", "other", "other", "other", "first", "other"};
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == EndReason::script_error);  // the last one
  CHECK_THAT(summary.message, Catch::Contains("not ready"));
  CHECK(world.other.requests.size() == 4);
  CHECK(world.proposer.requests.size() == 1);
}

TEST_CASE("Of several proposers any may answer first, and all are waited for together") {
  TwoProposing world;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    if (world.turn == 2) return FakeScripts::first_open(snapshot);
    Decision decision = propose(snapshot.arms.front());
    decision.proposer = world.turn++ == 0 ? "first" : "other";
    return decision;
  };
  world.proposer.latency_s = 500;
  world.other.latency_s = 300;
  const double begin = world.clock.now;
  world.run();
  REQUIRE(world.ledger.proposed.size() == 2);
  CHECK(world.ledger.proposed[0].proposer == "other=command:q");
  CHECK(world.ledger.proposed[1].proposer == "first=command:p");
  CHECK(world.clock.now - begin < 800);
}

TEST_CASE("A campaign that is resumed has its proposals back and goes on where it was") {
  Proposing world({whole_file("new source")});
  world.evaluator.answer = [&world](const EvaluationRequest& request) {
    if (request.realized.candidate.variant == "proposed_1") world.stop = true;
    return FakeEvaluator::honest(request);
  };
  world.run();
  REQUIRE(evaluations_of(world.ledger, "proposed_1") == 1);
  const FakeCatalog fresh;
  world.catalog.info = fresh.info;  // a new process reads the folders, which hold no proposal
  world.stop = false;
  world.evaluator.answer = FakeEvaluator::honest;
  const CampaignSummary summary = world.run(1);
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(evaluations_of(world.ledger, "proposed_1") >= 8);
  CHECK(world.ledger.proposed.size() == 1);
}

TEST_CASE("Without a proposer a strategy sees none, and asking is its mistake") {
  World world;
  bool seen = false;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    seen = seen || snapshot.proposer.has_value();
    return propose(snapshot.arms.front());
  };
  const CampaignSummary summary = world.run();
  CHECK(!seen);
  CHECK(summary.reason == EndReason::script_error);
  CHECK_THAT(summary.message, Catch::Contains("no proposer is configured"));
}
