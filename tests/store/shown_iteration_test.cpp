#include <catch2/catch.hpp>
#include <limits>

#include "harness/core/iteration_row.h"
#include "harness/store/history.h"
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
