#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/cli/command.h"

// What `check` and `eval` do, for a command that ends with them.
namespace harness {

/// As `harness check KERNEL --device D`, but that the baseline's first configuration is left to first_evaluation():
/// the problems, none where it is fit. `quiet`: nothing is printed.
std::vector<std::string> first_check(const std::string& kernel, const std::string& device, bool quiet, Shell& shell);
/// As `harness eval KERNEL VARIANT --device D`; whether every outcome is passed.
bool first_evaluation(const std::string& kernel, const std::string& variant, const std::string& device, bool quiet,
                      Shell& shell);

/// What was evaluated of a shape: what ran, what it found, and in which iteration it is recorded (0: not).
struct EvaluatedPoint {
  std::string workload;
  Realized realized;
  Evaluation evaluation;
  std::int64_t iteration = 0;
};
struct PointsAsked {
  std::string kernel, variant, device = "auto";
  std::vector<std::string> parameters;  // "NAME=VALUE"
  std::vector<std::string> workloads;   // names, sets or shapes, in the order of the answers
  AskedTimes times;
  bool no_record = false;
};
/// As `harness eval`, each workload in turn; `tell` gets each as it ends. False: interrupted.
bool evaluate_points(const PointsAsked& asked, Shell& shell, const std::function<void(const EvaluatedPoint&)>& tell);

}  // namespace harness
