#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/core/admission.h"
#include "harness/core/evaluator.h"
#include "harness/evaluate/workshop.h"

namespace harness {

/// A kernel's gates on trial. For each group of workloads and each form of the inputs: the error of the honest baseline
/// and of an impostor one precision lower, and the tolerance between them. Then every generated mutant of every output,
/// and every mutant of the kernel's own, must fail.
class AdmissionTrial {
 public:
  using Evaluate = std::function<Evaluation(const EvaluationRequest&)>;
  AdmissionTrial(const AdmissionRequest& request, Workshop& workshop, Evaluate evaluate);
  Admission finish();

 private:
  struct Range {
    double honest = 0, impostor = 0;
    bool settled = false;  // the impostor's error comes from the group's own workload
  };
  using Ranges = std::map<std::string, Range>;  // by output

  void try_group(const AdmissionRequest::Group& group);
  std::optional<RunnerFailure> run(std::vector<Side>& sides, std::size_t index);
  static void raise_to_worst(std::vector<std::pair<std::string, Ranges>>& measured);
  static bool all_settled(const Problem& problem, const Ranges& ranges);
  bool measure_form(std::vector<Side>& sides, const std::string& form, Ranges& ranges);
  void add_tolerances(const Side& side, const std::string& form, const Ranges& ranges);
  void derive(const Argument& output, const Range& range, Tolerance tolerance);
  void check_declared(const Argument& output, const Range& range, Tolerance tolerance);
  void check_work(const Realized& baseline);
  void try_generated(Side& side);
  void try_source(const AdmissionRequest::Mutant& mutant);
  void problem(std::string sentence);

  const AdmissionRequest& request_;
  Workshop& workshop_;
  Evaluate evaluate_;
  Admission admission_;
};

}  // namespace harness
