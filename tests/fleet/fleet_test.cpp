#include "harness/fleet/fleet.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "harness/campaign/gatekeeper.h"
#include "harness/campaign/loop.h"
#include "tests/campaign/world.h"
#include "tests/fleet/in_process_node.h"

using namespace harness;
using namespace harness::fakes;
using fleet::FleetOptions;
using fleet::NodeFleet;
using fleet::Transport;

namespace {

/// A fleet of nodes that are made by `setup`, the how manieth start of which it is among its arguments.
struct Nodes {
  std::function<ThreadNode::Setup(const std::string& name, int start)> setup = [](const std::string& name, int) {
    ThreadNode::Setup made;
    made.uuid = "GPU-" + name;
    return made;
  };
  FakeCatalog catalog;
  std::map<std::string, int> starts;
  std::map<std::string, ThreadNode*> running;
  std::vector<std::string> told;
  std::function<void()> on_tell;
  int count = 2;
  fleet::CardRules rules;
  fleet::Patience patience{.silence = 0.6, .again = 0.05, .evaluation = 20, .grace = 1, .restarts = 2, .together = 0.1};
  double wait_s = 5;

  std::unique_ptr<NodeFleet> start() {
    FleetOptions options;
    for (int i = 1; i <= count; ++i) {
      NodeSpec spec;
      spec.name = "n" + std::to_string(i);
      spec.wait_s = wait_s;
      options.nodes.push_back(spec);
    }
    options.build = "test";
    options.patience = patience;
    options.cards = rules;
    options.start = [this](const NodeSpec& spec) -> std::unique_ptr<Transport> {
      auto node = std::make_unique<ThreadNode>(setup(spec.name, ++starts[spec.name]));
      running[spec.name] = node.get();
      return node;
    };
    options.tell = [this](const std::string& sentence) {
      told.push_back(sentence);
      if (on_tell) on_tell();
    };
    return std::make_unique<NodeFleet>(std::move(options));
  }

  EvaluationRequest request(std::int64_t n) {
    return gated_request(catalog, evaluator,
                         catalog.plugin("k").realize({"k", "10_tile", "tile", {{"N", n}}}, "w1", {}), Points::search);
  }

  FakeClock clock;
  FakeEvaluator evaluator{clock};
};

std::optional<FleetAnswer> next_of(NodeFleet& fleet, double patience_s = 10) {
  return fleet.next(patience_s);
}

double time_of(const FleetAnswer& answer) {
  return std::get<Passed>(answer.evaluation.outcome).timing.time_ns;
}

}  // namespace

TEST_CASE("nodes say hello, are given their device and evaluate") {
  Nodes nodes;
  auto fleet = nodes.start();
  fleet->prepare_for(nodes.catalog, {"k"});
  REQUIRE(fleet->devices().size() == 2);
  CHECK(fleet->devices()[1].node == "n2");
  CHECK(fleet->devices()[1].uuid == "GPU-n2");
  fleet->begin(0, 11, nodes.request(2));
  fleet->begin(1, 12, nodes.request(4));
  std::map<std::int64_t, double> found;
  for (int i = 0; i < 2; ++i) {
    const auto answer = next_of(*fleet);
    REQUIRE(answer);
    found[answer->ticket] = time_of(*answer);
  }
  CHECK(found == std::map<std::int64_t, double>{{11, 400}, {12, 200}});
  CHECK_FALSE(fleet->next(0.01));
}

TEST_CASE("a node of another build, another card twice, or with other plugins is left out and says why") {
  Nodes nodes;
  nodes.count = 4;
  nodes.setup = [](const std::string& name, int) {
    ThreadNode::Setup made;
    made.uuid = name == "n3" ? "GPU-n1" : "GPU-" + name;
    if (name == "n2") made.build = "older";
    if (name == "n4") made.edit = [](FakeCatalog& catalog) { catalog.info.variants[1].source_hash = "edited"; };
    return made;
  };
  auto fleet = nodes.start();
  fleet->prepare_for(nodes.catalog, {"k"});
  const auto& devices = fleet->devices();
  CHECK(devices[0].alive);
  CHECK_FALSE(devices[1].alive);
  CHECK_THAT(devices[1].why, Catch::Contains("install the same program"));
  CHECK_FALSE(devices[2].alive);
  CHECK_THAT(devices[2].why, Catch::Contains("the same card as n1"));
  CHECK_FALSE(devices[3].alive);
  CHECK_THAT(devices[3].why, Catch::Contains("plugins of this node are others"));
}

namespace {

/// The node n2 says nothing until `comes`, at most so many seconds.
void hold_back_n2(Nodes& nodes, const std::atomic<bool>& comes, double most_s = 5) {
  nodes.setup = [&comes, most_s](const std::string& name, int) {
    ThreadNode::Setup made;
    made.uuid = "GPU-" + name;
    if (name == "n2")
      made.before = [&comes, most_s] {
        for (int i = 0; !comes && i < 200 * most_s; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      };
    return made;
  };
}

bool was_told(const Nodes& nodes, const std::string& sentence) {
  return std::ranges::any_of(nodes.told, [&](const std::string& each) { return each.find(sentence) == 0; });
}

}  // namespace

TEST_CASE("a fleet begins with the nodes that are there, and one that comes late joins with what the others know") {
  Nodes nodes;
  std::atomic<bool> comes = false;
  hold_back_n2(nodes, comes);
  auto fleet = nodes.start();
  fleet->prepare_for(nodes.catalog, {"k"});
  REQUIRE(fleet->devices().size() == 2);
  CHECK(fleet->devices()[0].alive);
  CHECK(fleet->devices()[1].coming);
  CHECK_FALSE(fleet->devices()[1].alive);
  CHECK(was_told(nodes, "the fleet begins with 1 of 2 devices; these join when they come: n2"));
  fleet->begin(0, 1, nodes.request(2));
  CHECK(time_of(*next_of(*fleet)) == 400);
  comes = true;
  for (int i = 0; i < 200 && !fleet->devices()[1].alive; ++i) fleet->next(0.05);
  REQUIRE(fleet->devices()[1].alive);
  CHECK_FALSE(fleet->devices()[1].coming);
  CHECK(fleet->devices()[1].uuid == "GPU-n2");
  CHECK(was_told(nodes, "node n2 joins"));
  fleet->begin(1, 2, nodes.request(4));
  CHECK(time_of(*next_of(*fleet)) == 200);
}

TEST_CASE("a node that never comes is told, and the others go on") {
  Nodes nodes;
  std::atomic<bool> comes = false;
  hold_back_n2(nodes, comes, 1);
  nodes.wait_s = 0.5;
  auto fleet = nodes.start();
  fleet->prepare_for(nodes.catalog, {"k"});
  for (int i = 0; i < 200 && fleet->devices()[1].coming; ++i) fleet->next(0.05);
  CHECK_FALSE(fleet->devices()[1].alive);
  CHECK_FALSE(fleet->devices()[1].coming);
  CHECK(was_told(nodes, "node n2 never came: it said no hello within"));
  fleet->begin(0, 1, nodes.request(2));
  CHECK(time_of(*next_of(*fleet)) == 400);
}

TEST_CASE("a late node that is another card than the first is left out") {
  Nodes nodes;
  std::atomic<bool> comes = false;
  hold_back_n2(nodes, comes);
  const auto held_back = nodes.setup;
  nodes.setup = [held_back](const std::string& name, int start) {
    ThreadNode::Setup made = held_back(name, start);
    made.uuid = "GPU-n1";
    return made;
  };
  auto fleet = nodes.start();
  fleet->prepare_for(nodes.catalog, {"k"});
  comes = true;
  for (int i = 0; i < 200 && fleet->devices()[1].coming; ++i) fleet->next(0.05);
  CHECK_THAT(fleet->devices()[1].why, Catch::Contains("the same card as n1"));
  CHECK(fleet->devices()[0].alive);
}

TEST_CASE("questions of a node are answered while it evaluates") {
  Nodes nodes;
  nodes.count = 1;
  std::atomic<std::int64_t> heard = 0;
  nodes.setup = [&](const std::string&, int) {
    ThreadNode::Setup made;
    made.meanwhile = [&](const EvaluationRequest& request, const auto&) { heard = request.recorded_with("abc"); };
    return made;
  };
  auto fleet = nodes.start();
  fleet->prepare_for(nodes.catalog, {"k"});
  EvaluationRequest request = nodes.request(2);
  request.recorded_with = [](const std::string& hash) { return hash == "abc" ? 42 : 0; };
  fleet->begin(0, 1, request);
  REQUIRE(next_of(*fleet));
  CHECK(heard == 42);
}

TEST_CASE("peaks and the trial of gates are asked of the first node") {
  Nodes nodes;
  auto fleet = nodes.start();
  fleet->prepare_for(nodes.catalog, {"k"});
  CHECK(fleet->evaluator().measure_peaks().bytes_per_s == 4e12);
  AdmissionRequest request;
  request.kernel = "k";
  const auto admission = fleet->evaluator().admit(request);
  REQUIRE(admission);
  CHECK(admission->passed);
}

// The second node's call is still under way when the first one's answer ends the waiting with an error. (A sanitizer
// sees whether what it reports to still lives.)
TEST_CASE("an answer that comes after the waiting for it has ended is taken all the same") {
  Nodes nodes;
  nodes.setup = [](const std::string& name, int) {
    ThreadNode::Setup made;
    made.uuid = "GPU-" + name;
    made.edit = [first = name == "n1"](FakeCatalog& catalog) {
      if (first) catalog.info.variants[1].source_hash = "edited";
      else std::this_thread::sleep_for(std::chrono::milliseconds(200));
    };
    return made;
  };
  auto fleet = nodes.start();
  nodes.on_tell = [] { throw std::runtime_error("the terminal is gone"); };
  CHECK_THROWS_WITH(fleet->prepare_for(nodes.catalog, {"k"}), "the terminal is gone");
  fleet->begin(1, 5, nodes.request(2));
  const auto answer = next_of(*fleet);
  REQUIRE(answer);
  CHECK(answer->ticket == 5);
  CHECK(time_of(*answer) == 400);
}

// Whatever the way between does, each evaluation is answered once, and with its own result.
TEST_CASE("a way that drops, doubles, cuts, delays and adds lines costs time alone") {
  for (const unsigned seed : {1u, 2u, 3u}) {
    Nodes nodes;
    nodes.setup = [seed](const std::string& name, int) {
      ThreadNode::Setup made;
      made.uuid = "GPU-" + name;
      const auto meddle = [](std::mt19937 random) -> Meddler {
        return [random, held = std::string()](const std::string& line) mutable -> std::string {
          if (line.find("hello") != std::string::npos) return "Welcome!\n" + line;
          const std::string before = std::exchange(held, "");
          switch (random() % 8) {
            case 0:
              return before;
            case 1:
              return before + line + line;
            case 2:
              return before + line.substr(0, line.size() / 2) + "\n";
            case 3:
              return before + "noise\n" + line;
            case 4:
              held = line;
              return before;
            default:
              return before + line;
          }
        };
      };
      made.from_node = meddle(std::mt19937(seed));
      made.to_node = meddle(std::mt19937(seed + 100));
      return made;
    };
    nodes.patience.silence = 20;
    auto fleet = nodes.start();
    fleet->prepare_for(nodes.catalog, {"k"});
    std::map<std::int64_t, double> found;
    for (std::int64_t n = 1; n <= 3; ++n) {
      fleet->begin(static_cast<std::size_t>(n % 2), n, nodes.request(n));
      const auto answer = next_of(*fleet, 15);
      REQUIRE(answer);
      CHECK(found.emplace(answer->ticket, time_of(*answer)).second);
    }
    CHECK(found == std::map<std::int64_t, double>{{1, 800}, {2, 400}, {3, 800.0 / 3}});
  }
}

TEST_CASE("a node that dies at work loses that evaluation alone, is started again and goes on") {
  Nodes nodes;
  nodes.count = 1;
  nodes.setup = [&](const std::string&, int start) {
    ThreadNode::Setup made;
    if (start == 1) made.meanwhile = [&](const EvaluationRequest&, const auto&) { nodes.running["n1"]->ended = true; };
    return made;
  };
  auto fleet = nodes.start();
  fleet->prepare_for(nodes.catalog, {"k"});
  fleet->begin(0, 1, nodes.request(2));
  const auto lost = next_of(*fleet);
  REQUIRE(lost);
  CHECK(lost->ticket == 1);
  CHECK(std::get<Lost>(lost->evaluation.outcome).node == "n1");
  CHECK(fleet->devices()[0].alive);
  fleet->begin(0, 2, nodes.request(4));
  const auto answer = next_of(*fleet);
  REQUIRE(answer);
  CHECK(time_of(*answer) == 200);
  CHECK(nodes.starts["n1"] == 2);
}

TEST_CASE("a node that falls silent is lost, and given up after some starts") {
  Nodes nodes;
  nodes.count = 1;
  nodes.patience.silence = 0.2;
  nodes.patience.restarts = 1;
  std::atomic<bool> silent = false;
  nodes.setup = [&](const std::string&, int) {
    ThreadNode::Setup made;
    made.from_node = [&](const std::string& line) {
      return silent && line.find("hello") == std::string::npos ? std::string() : line;
    };
    return made;
  };
  auto fleet = nodes.start();
  fleet->prepare_for(nodes.catalog, {"k"});
  silent = true;
  fleet->begin(0, 1, nodes.request(2));
  const auto lost = next_of(*fleet);
  REQUIRE(lost);
  CHECK_THAT(std::get<Lost>(lost->evaluation.outcome).detail, Catch::Contains("nothing was heard"));
  for (int i = 0; i < 100 && fleet->devices()[0].alive; ++i) fleet->next(0.05);
  CHECK_FALSE(fleet->devices()[0].alive);
}

TEST_CASE("a card that drifts is set aside with a sentence, and what waited for it is nobody's fault") {
  Nodes nodes;
  std::atomic<double> share = 1;
  nodes.setup = [&](const std::string& name, int) {
    ThreadNode::Setup made;
    made.uuid = "GPU-" + name;
    made.calibrate = [&share, drifts = name == "n1"] {
      const double rate = drifts ? share.load() : 1;
      return CardCalibration{4e12 * rate, 8e14 * rate, "test", {}};
    };
    return made;
  };
  nodes.rules.every_s = 0;
  auto fleet = nodes.start();
  fleet->prepare_for(nodes.catalog, {"k"});
  const auto joined = fleet->take_card_checks();
  REQUIRE(joined.size() == 2);
  CHECK(joined[0].verdict == CardVerdict::first);
  CHECK(joined[0].occasion == "joined");
  share = 0.96;
  fleet->begin(0, 1, nodes.request(2));
  REQUIRE(next_of(*fleet));  // a suspect works on
  CHECK(fleet->take_card_checks().at(0).verdict == CardVerdict::suspect);
  fleet->begin(0, 2, nodes.request(4));
  const auto lost = next_of(*fleet);
  REQUIRE(lost);
  CHECK(std::get<Lost>(lost->evaluation.outcome).node.empty());
  CHECK(fleet->take_card_checks().at(0).verdict == CardVerdict::quarantined);
  CHECK_FALSE(fleet->devices()[0].alive);
  CHECK_THAT(fleet->devices()[0].why, Catch::Contains("quarantined") && Catch::Contains("4.0 % slower"));
  fleet->begin(1, 3, nodes.request(4));
  CHECK(time_of(*next_of(*fleet)) == 200);
}

TEST_CASE("a node that answers for another card, or for another candidate, is set aside") {
  for (const bool card : {true, false}) {
    Nodes nodes;
    nodes.setup = [card](const std::string& name, int) {
      ThreadNode::Setup made;
      made.uuid = "GPU-" + name;
      if (name == "n2" && card) made.uuid_in_answers = "GPU-n1";
      if (name == "n1" && !card) made.forge = [](Evaluation& evaluation) { evaluation.source_hash = "another"; };
      return made;
    };
    auto fleet = nodes.start();
    fleet->prepare_for(nodes.catalog, {"k"});
    if (!card) {
      fleet->begin(0, 1, nodes.request(2));
      const auto lost = next_of(*fleet);
      REQUIRE(lost);
      CHECK(std::get<Lost>(lost->evaluation.outcome).node.empty());
    }
    const FleetDevice& liar = fleet->devices()[card ? 1 : 0];
    CHECK_FALSE(liar.alive);
    CHECK_THAT(liar.why, Catch::Contains(card ? "answers for the card GPU-n1" : "evaluated something else"));
    CHECK(fleet->devices()[card ? 0 : 1].alive);
  }
}

TEST_CASE("a node that is another card after it was started again is given up") {
  Nodes nodes;
  nodes.count = 1;
  nodes.setup = [&](const std::string&, int start) {
    ThreadNode::Setup made;
    made.uuid = "GPU-" + std::to_string(start);
    if (start == 1) made.meanwhile = [&](const EvaluationRequest&, const auto&) { nodes.running["n1"]->ended = true; };
    return made;
  };
  auto fleet = nodes.start();
  fleet->prepare_for(nodes.catalog, {"k"});
  fleet->begin(0, 1, nodes.request(2));
  REQUIRE(next_of(*fleet));
  for (int i = 0; i < 100 && fleet->devices()[0].alive; ++i) fleet->next(0.05);
  CHECK_THAT(fleet->devices()[0].why, Catch::Contains("another card"));
}

TEST_CASE("what is cancelled ends as interrupted") {
  Nodes nodes;
  nodes.count = 1;
  nodes.setup = [](const std::string&, int) {
    ThreadNode::Setup made;
    made.meanwhile = [](const EvaluationRequest&, const std::function<bool()>& stop) {
      while (!stop()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    };
    return made;
  };
  auto fleet = nodes.start();
  fleet->prepare_for(nodes.catalog, {"k"});
  fleet->begin(0, 1, nodes.request(2));
  fleet->next(0.1);
  fleet->cancel();
  const auto answer = next_of(*fleet);
  REQUIRE(answer);
  CHECK(std::holds_alternative<Interrupted>(answer->evaluation.outcome));
}

TEST_CASE("a campaign on nodes finds what it finds on one device") {
  Nodes nodes;
  nodes.count = 3;
  auto fleet = nodes.start();
  World world;
  world.scripts.several = true;
  fleet->prepare_for(world.catalog, {"k"});
  CampaignPorts ports{world.catalog, world.scripts, fleet->evaluator(), world.ledger, world.display, world.clock, {}};
  ports.fleet = fleet.get();
  const CampaignSummary summary = Campaign(std::move(ports), world.options, std::nullopt).run();
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(count(world.ledger, Purpose::search) == 16);
  CHECK(*summary.score == Approx(10.0));
  CHECK(fleet->bytes() / world.ledger.rows.size() < 64u << 10);
}

// An srun that is killed leaves its allocation behind; one that is told to end gives it back. A node of this program
// holds nothing, and is not waited for.
TEST_CASE("a command that does not leave at the end of its input is told to end before it is killed") {
  std::string folder = "/tmp/harness_transport_XXXXXX";
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const std::filesystem::path told = folder + "/told";
  for (const bool child : {false, true}) {
    NodeSpec spec;
    spec.is_child = child;
    spec.start = {"sh", "-c",
                  "trap 'touch " + told.string() + "; exit 0' TERM; echo ready; while :; do sleep 0.1; done"};
    auto transport = fleet::start_process(spec);
    std::string said;
    while (said.find("ready") == std::string::npos) {
      const auto more = transport->receive();
      REQUIRE(more);
      said += *more;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    transport.reset();
    CHECK(std::filesystem::exists(told) == !child);
    std::filesystem::remove(told);
  }
  std::filesystem::remove_all(folder);
}
