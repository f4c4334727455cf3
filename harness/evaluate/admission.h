#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/core/admission.h"
#include "harness/core/evaluator.h"
#include "harness/evaluate/worker_pool.h"

namespace harness {

/// The errors of one output: of the honest baseline, the largest over all shapes, and of an impostor.
struct ErrorRange {
  double honest = 0, impostor = 0;
  bool settled = false;  // the impostor's error comes from the group's own workload
};

/// What one form of the inputs told of one group.
struct FormTrial {
  using Ranges = std::map<std::string, ErrorRange>;  // by output
  Ranges ranges;
  std::string skipped;  // a sentence, where the form is out of the kernel's range
};

void to_json(json& to, const ErrorRange& value);
void from_json(const json& from, ErrorRange& value);
void to_json(json& to, const FormTrial& value);
void from_json(const json& from, FormTrial& value);

/// What was found elsewhere of this part would let pass what is refused here.
struct AdmissionDisagrees {
  std::string part;
};

/// A kernel's gates on trial. For each group of workloads and each form of the inputs: the error of the honest baseline
/// and of an impostor one precision lower, and the tolerance between them. Then every generated mutant of every output,
/// and every mutant of the kernel's own, must fail. Each form, each group's mutants and each mutant is a part by itself
/// that the request may keep, so that a trial that is cut short goes on where it was. Where the request has parts that
/// were found elsewhere, one form and the generated mutants of one group and one mutant of the kernel's own are tried
/// here, chosen at random. finish() throws AdmissionDisagrees where what was found elsewhere would let more pass.
class AdmissionTrial {
 public:
  using Evaluate = std::function<Evaluation(const EvaluationRequest&)>;
  AdmissionTrial(const AdmissionRequest& request, WorkerPool& workers, Evaluate evaluate);
  Admission finish();

 private:
  using Ranges = FormTrial::Ranges;

  /// `found` as an earlier trial kept it, else as `find` finds it now. False: there is a problem.
  template <typename Found, typename Find>
  bool recall(const std::string& part, Found& finding, const Find& find);
  void choose_spot_checks();
  void announce_builds();
  bool is_spot_check() const { return !request_.elsewhere.empty(); }
  void try_group(const AdmissionRequest::Group& group);
  std::optional<RunnerFailure> run(std::vector<Subject>& subjects, std::size_t index);
  std::optional<RunnerFailure> load(const std::vector<Subject>& subjects);
  static void raise_to_worst(std::vector<std::pair<std::string, Ranges>>& measured);
  static bool all_settled(const Problem& problem, const Ranges& ranges);
  FormTrial measure_form(std::vector<Subject>& subjects, const std::string& form);
  void add_tolerances(const Problem& problem, const std::string& form, const Ranges& ranges);
  void derive(const Argument& output, const ErrorRange& range, Tolerance tolerance);
  void check_declared(const Argument& output, const ErrorRange& range, Tolerance tolerance);
  void check_work(const Realized& baseline);
  std::vector<MutantVerdict> try_generated(Subject& subject);
  MutantVerdict try_source(const AdmissionRequest::Mutant& mutant);
  void check_model(const Argument& output, double honest, const std::string& where);
  void note_skipped(std::string sentence);
  void problem(std::string sentence);

  const AdmissionRequest& request_;
  WorkerPool& workers_;
  Evaluate evaluate_;
  Admission admission_;
  std::set<std::string> spot_checks_;  // parts that are tried here although they were found elsewhere
};

}  // namespace harness
