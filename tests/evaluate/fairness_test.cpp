#include "harness/evaluate/fairness.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"

using namespace harness;

namespace {

const Crashed kSegfault{CrashKind::illegal_access, "its process ended: signal 11"};
const Crashed kKilled{CrashKind::killed, "its process ended: signal 9"};

/// What comes of these outcomes, one a try; the last one again and again.
struct Told {
  std::vector<Outcome> outcomes;
  int first = 0, alone = 0;
  Evaluation evaluate() {
    const auto next = [this](int& count) {
      Evaluation evaluation;
      const auto at = std::min(static_cast<std::size_t>(first + alone), outcomes.size() - 1);
      ++count;
      evaluation.outcome = outcomes[at];
      evaluation.cost.wall_s = 1;
      return evaluation;
    };
    return evaluate_fairly([&] { return next(first); }, [&] { return next(alone); });
  }
};

}  // namespace

TEST_CASE("a crash or a missed deadline counts when it happened twice, the second time alone") {
  const Outcome outcome = GENERATE(Outcome(kSegfault), Outcome(TimedOut{1.03, "launch"}));
  Told told{{outcome}};
  const Evaluation evaluation = told.evaluate();
  CHECK(kind_of(evaluation.outcome) == kind_of(outcome));
  CHECK(told.first == 1);
  CHECK(told.alone == 1);
  CHECK(evaluation.cost.wall_s == 2);
}

TEST_CASE("one that passes alone passes, if it does so twice; what happened first is kept") {
  Told told{{TimedOut{1.03, "launch"}, Passed{}}};
  const Evaluation evaluation = told.evaluate();
  CHECK(std::holds_alternative<Passed>(evaluation.outcome));
  CHECK(told.alone == 2);
  REQUIRE(evaluation.gates.size() == 1);
  CHECK(evaluation.gates[0].name == "repeated");
  CHECK(evaluation.gates[0].detail.find("timed_out") != std::string::npos);
}

TEST_CASE("one that crashes in every other run has crashed") {
  Told told{{kSegfault, Passed{}, kSegfault}};
  CHECK(std::holds_alternative<Crashed>(told.evaluate().outcome));
  CHECK(told.alone == 2);
}

TEST_CASE("what is killed from outside is tried again and never blamed") {
  Told told{{kKilled, kKilled, kKilled, kKilled, Passed{}}};
  const Evaluation evaluation = told.evaluate();
  CHECK(std::holds_alternative<Passed>(evaluation.outcome));
  CHECK(evaluation.gates.empty());
  CHECK(evaluation.cost.wall_s == 5);
  Told for_ever{{kKilled}};
  CHECK_THROWS_AS(for_ever.evaluate(), Error);
  CHECK(for_ever.first + for_ever.alone == 10);
}

TEST_CASE("every other outcome is believed at once") {
  const Outcome outcome = GENERATE(Outcome(Passed{}), Outcome(WrongAnswer{}), Outcome(Rejected{}),
                                   Outcome(Interrupted{}), Outcome(Crashed{CrashKind::device_lost, "gone"}));
  Told told{{outcome}};
  CHECK(kind_of(told.evaluate().outcome) == kind_of(outcome));
  CHECK(told.alone == 0);
}
