#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/service/arguments.h"
#include "harness/service/asked_candidate.h"
#include "harness/service/single_evaluation.h"

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
