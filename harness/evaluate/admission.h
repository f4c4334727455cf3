#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/core/admission.h"
#include "harness/core/evaluator.h"
#include "harness/evaluate/worker_pool.h"

namespace harness {

/// A kernel's gates on trial. For each group of workloads and each form of the inputs: the error of the honest baseline
/// and of an impostor one precision lower, and the tolerance between them. Then every generated mutant of every output,
/// and every mutant of the kernel's own, must fail.
class AdmissionTrial {
 public:
  using Evaluate = std::function<Evaluation(const EvaluationRequest&)>;
  AdmissionTrial(const AdmissionRequest& request, WorkerPool& workers, Evaluate evaluate);
  Admission finish();

 private:
  struct Range {
    double honest = 0, impostor = 0;
    bool settled = false;  // the impostor's error comes from the group's own workload
  };
  using Ranges = std::map<std::string, Range>;  // by output

  void try_group(const AdmissionRequest::Group& group);
  std::optional<RunnerFailure> run(std::vector<Subject>& subjects, std::size_t index);
  static void raise_to_worst(std::vector<std::pair<std::string, Ranges>>& measured);
  static bool all_settled(const Problem& problem, const Ranges& ranges);
  bool measure_form(std::vector<Subject>& subjects, const std::string& form, Ranges& ranges);
  void add_tolerances(const Subject& subject, const std::string& form, const Ranges& ranges);
  void derive(const Argument& output, const Range& range, Tolerance tolerance);
  void check_declared(const Argument& output, const Range& range, Tolerance tolerance);
  void check_work(const Realized& baseline);
  void try_generated(Subject& subject);
  void try_source(const AdmissionRequest::Mutant& mutant);
  void check_model(const Argument& output, double honest, const std::string& where);
  void note_skipped(std::string sentence);
  void problem(std::string sentence);

  const AdmissionRequest& request_;
  WorkerPool& workers_;
  Evaluate evaluate_;
  Admission admission_;
};

}  // namespace harness
