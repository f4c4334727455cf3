#include <catch2/catch.hpp>
#include <limits>
#include <sstream>

#include "harness/core/iteration_fields.h"
#include "harness/store/history.h"
#include "harness/store/transfer.h"
#include "tests/store/recorded.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

std::vector<Outcome> every_outcome() {
  return {std::get<Passed>(passed(120).outcome),
          CompileError{"k.cu(3): error: expected a ';'"},
          LaunchError{"too many resources"},
          WrongAnswer{"O is off", FirstBad{"O", {1}, 1, std::numeric_limits<double>::quiet_NaN(), 5}, "f00d"},
          Rejected{"guard-zones", "wrote past the end of O"},
          NoEffect{1},
          Abandoned{500, 900},
          Unsupported{"needs sm_90a"},
          Crashed{CrashKind::illegal_access, "at 0x10"},
          TimedOut{10, "timing"},
          OutOfMemory{"96 GiB"},
          Interrupted{}};
}

}  // namespace

TEST_CASE("a live iteration and the recorded one are the same object, whatever the outcome") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  std::int64_t block = 0;
  for (const Outcome& outcome : every_outcome()) {
    AttemptRecord attempt = an_attempt(campaign, ++block);
    Decision decision = a_decision();
    decision.rule = "plateau";
    attempt.decision = store->record_decision(campaign, decision, {}, {"roi", "h"}, 1, 0);
    const Evaluation evaluation = an_evaluation(outcome);
    const auto id = record(*store, attempt, evaluation, block % 2 == 0);
    const json live =
        iteration_json(attempt, evaluation, id, block % 2 == 0, decision_json(decision), "cuda:0", Detail::full);
    INFO(outcome_name(outcome));
    CHECK(json_text(live) == json_text(show(*store, id, false)));
    CHECK(live["outcome"] == outcome_name(outcome));
    CHECK(live["error"].is_null() == (outcome.index() == 0));
  }
}

TEST_CASE("errors that are not finite and texts that are not UTF-8 are stored and shown") {
  auto store = Store::in_memory();
  const auto campaign = store->begin_campaign(a_campaign());
  Evaluation evaluation = wrong();
  evaluation.errors[0].relative_l2 = std::numeric_limits<double>::infinity();
  evaluation.log = "caf\xe9 \xff";
  evaluation.gates[0].detail = "\x80";
  const auto id = record(*store, an_attempt(campaign), evaluation);
  const json shown = show(*store, id, true);
  CHECK(shown["errors"][0]["relative_l2"].is_null());
  CHECK(shown["log"] == "caf\xef\xbf\xbd \xef\xbf\xbd");
  CHECK(shown["gates"][0]["detail"] == "\xef\xbf\xbd");
  CHECK(shown["source"] == "__global__ void k() {}\n");
  CHECK(shown["seeds"] == json{7, 0xffffffffffffffffu});
  CHECK_NOTHROW(shown.dump());
}

TEST_CASE(
    "how busy the machine was, by which gates it was judged, and what a finalist's bits follow from stay with an "
    "iteration everywhere") {
  auto store = Store::in_memory(), other = Store::in_memory();
  Evaluation evaluation = passed(100);
  evaluation.machine_load = 1.5;
  evaluation.gates_version = 7;
  evaluation.batch_invariant = "no over B: at B = 33";
  const auto campaign = store->begin_campaign(a_campaign());
  const auto loaded = record(*store, an_attempt(campaign, 1), evaluation);
  const auto unknown = record(*store, an_attempt(campaign, 2), passed(100));
  CHECK(show(*store, loaded, false)["machine_load"] == 1.5);
  CHECK(show(*store, unknown, false)["machine_load"].is_null());
  CHECK(show(*store, loaded, false)["gates_version"] == 7);
  CHECK(show(*store, unknown, false)["gates_version"].is_null());
  CHECK(show(*store, loaded, false)["batch_invariant"] == "no over B: at B = 33");
  CHECK(show(*store, loaded, false)["configurations_agree"].is_null());
  CHECK(store->iterations(campaign)[0].machine_load == 1.5);
  CHECK(value(*store, "SELECT machine_load FROM v_iterations ORDER BY iteration") == 1.5);
  CHECK(value(*store, "SELECT machine_load FROM agent_iterations ORDER BY iteration") == 1.5);
  std::stringstream text;
  export_store(*store, text);
  import_store(*other, text, "x.jsonl");
  CHECK(value(*other, "SELECT group_concat(machine_load) FROM iteration") == "1.5");
  CHECK(value(*other, "SELECT group_concat(gates_version) FROM iteration") == "7");
  CHECK(value(*other, "SELECT group_concat(batch_invariant) FROM iteration") == "no over B: at B = 33");
  json wire;
  add_facts(wire, evaluation);
  Evaluation received;
  take_facts(wire, received);
  CHECK(received.machine_load == 1.5);
  CHECK(received.gates_version == 7);
  CHECK(received.batch_invariant == "no over B: at B = 33");
  CHECK_FALSE(received.configurations_agree);
}
