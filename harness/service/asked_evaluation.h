#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/display.h"
#include "harness/service/arguments.h"
#include "harness/service/asked_candidate.h"

// One candidate on each of some workloads, through all gates: what eval, sweep and adopt end with.
namespace harness {

struct EvaluationAsked {
  CandidateWords words;
  std::string device = "auto";
  AskedTimes times;
  std::vector<std::string> workloads;  // names, sets or shapes; empty: the recorded one, else what it does of "default"
  std::optional<std::string> label;
  std::optional<double> usd_per_hour;
  bool no_record = false;
  bool controls = false;  // where it passed, compiler controls are tried on it, one after the other
  bool reuse = false;     // what was evaluated before is answered from the record
};

/// What ran on a workload, what that found, and in which iteration it is recorded (0: in none).
struct EvaluatedPoint {
  Realized realized;
  AttemptRecord attempt;
  Evaluation evaluation;
  std::int64_t iteration = 0;
  std::string device;
  json recorded = {};  // with `reuse`: the iteration that had evaluated it, in full; nothing ran then

  IterationEnded event() const { return {iteration, attempt, &evaluation, {}, device, false, false}; }
  bool passed() const {
    if (recorded.is_object()) return recorded.value("outcome", "") == "passed";
    return std::holds_alternative<Passed>(evaluation.outcome);
  }
};

struct EvaluationWatch {
  std::function<void(const std::string& task)> begun;
  std::function<void(const EvaluatedPoint&)> ended;
  std::function<void(const std::string& why)> refused = {};  // a first kernel; without it the user is told
};

/// Whether all passed; nothing: interrupted. `places`: those of the shell, perhaps with who is told of phases. Throws
/// Error(bad_input) for words that name nothing, and for a kernel whose gates let wrong answers pass.
std::optional<bool> evaluate_asked(const EvaluationAsked& asked, const Places& places, Shell& shell,
                                   const EvaluationWatch& watch);

}  // namespace harness
