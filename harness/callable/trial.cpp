#include "harness/callable/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/device.h"
#include "harness/core/error.h"
#include "harness/core/generators.h"
#include "harness/evaluate/limits.h"
#include "harness/judge/mutants.h"
#include "harness/judge/tolerance.h"

namespace harness::callable {
namespace {

constexpr const char* kNominal = "nominal";
constexpr std::size_t kLongestSentence = 1000;

std::vector<const Argument*> written_arguments(const Problem& problem) {
  std::vector<const Argument*> written;
  for (const Argument& argument : problem.arguments)
    if (is_written(argument.kind)) written.push_back(&argument);
  return written;
}

/// Where not all can be tried, those that are tried at large sizes of other kernels are.
std::vector<std::string> telling_forms_first() {
  std::vector<std::string> forms = draw_form_names();
  std::ranges::stable_partition(forms, is_tried_at_large_sizes);
  return forms;
}

std::string sentence_in(const json& from, const char* key) {
  const json field = from.is_object() ? from.value(key, json()) : json();
  return field.is_string() ? field.get<std::string>().substr(0, kLongestSentence) : "";
}

/// An error is a number of 0 or more; null stands for one that is not finite.
double error_in(const json& from, const char* key) {
  const json field = from.value(key, json());
  if (field.is_null()) return INFINITY;
  if (!field.is_number() || !(field.get<double>() >= 0))
    throw bad_input(fmt::format("harness callable: '{}' of a trial is no error; see docs/callables.md", key));
  return field.get<double>();
}

Tolerance derived(const Argument& output, Tolerance tolerance) {
  if (judge::declares_tolerance(output)) {
    tolerance.tolerance = output.compare->tolerance;
    tolerance.origin = "declared";
    return tolerance;
  }
  const bool plain = tolerance.form == kNominal;
  const double least = judge::least_error(output, !plain);
  const judge::DerivedTolerance found =
      plain ? judge::derive_plain_tolerance(output, tolerance.honest, tolerance.impostor, least)
            : judge::derive_tolerance(tolerance.honest, tolerance.impostor, least);
  tolerance.tolerance = found.tolerance;
  tolerance.origin = found.separates ? "derived" : "gross";
  return tolerance;
}

void take_errors(const json& answer, const Problem& problem, Admission& admission) {
  for (const json& found : answer.value("found", json::array())) {
    const std::string name = sentence_in(found, "output"), form = sentence_in(found, "form");
    const Argument* const output = find_argument(problem, name);
    if (output == nullptr || !is_written(output->kind) || !std::ranges::count(draw_form_names(), form))
      throw bad_input("harness callable: a trial names an output or a form that is not there; see docs/callables.md");
    if (!is_floating(output->dtype)) continue;
    const Tolerance measured{"", form, name, error_in(found, "honest"), error_in(found, "impostor"), 0, ""};
    // A baseline that overflows in a form tells nothing there.
    if (!std::isfinite(measured.honest)) {
      if (form == kNominal)
        admission.problems.push_back(fmt::format("'{}' of the baseline is not finite where its reference is", name));
      continue;
    }
    admission.tolerances.push_back(derived(*output, measured));
  }
  for (const json& skipped : answer.value("skipped", json::array()))
    if (skipped.is_string()) admission.skipped_forms.push_back(skipped.get<std::string>().substr(0, kLongestSentence));
  if (const std::string problem_found = sentence_in(answer, "problem"); !problem_found.empty())
    admission.problems.push_back(problem_found);
  for (const Argument* output : written_arguments(problem))
    if (is_floating(output->dtype) && admission.problems.empty() &&
        find_tolerance(admission, "", kNominal, output->name) == nullptr)
      admission.problems.push_back(fmt::format("nothing was measured of '{}'", output->name));
}

void try_spoiled(const Problem& problem, Line& line, Admission& admission) {
  const json answer = line.ask("spoil", {{"compare", comparisons_of(problem, admission, kNominal)}});
  for (const json& from : answer.value("mutants", json::array())) {
    const MutantVerdict mutant{sentence_in(from, "mutant"), problem.workload.name, sentence_in(from, "output"),
                               sentence_in(from, "caught_by"), sentence_in(from, "detail")};
    const Tolerance* const tolerance = find_tolerance(admission, "", kNominal, mutant.output);
    // Where the baseline is no more exact than that, nothing tells them apart: the reservation says so.
    const bool gross = tolerance != nullptr && tolerance->origin == "gross" && mutant.name == "one precision lower";
    if (mutant.caught_by.empty() && !gross)
      admission.problems.push_back(fmt::format("the output '{}' {} passes for right", mutant.output, mutant.name));
    admission.mutants.push_back(mutant);
  }
}

}  // namespace

std::vector<std::string> usable_forms(const Admission& admission) {
  std::vector<std::string> forms{kNominal};
  for (const Tolerance& tolerance : admission.tolerances)
    if (!std::ranges::count(forms, tolerance.form)) forms.push_back(tolerance.form);
  return forms;
}

json comparisons_of(const Problem& problem, const Admission& admission, const std::string& form) {
  json all = json::object();
  for (const Argument* output : written_arguments(problem)) {
    const Tolerance* const measured = find_tolerance(admission, "", form, output->name);
    if (measured == nullptr) {
      if (!is_floating(output->dtype)) all[output->name] = {{"exact", true}};
      continue;
    }
    const judge::LocalFactors local =
        judge::local_factors(output->dtype, output->shape.empty() ? 1 : output->shape.back());
    const bool declared = measured->origin == "declared";
    all[output->name] = {
        {"tolerance", declared ? measured->tolerance : judge::tolerance_at(problem, *output, *measured)},
        {"row", local.row},
        {"element", local.element},
        {"scale_share", judge::kScaleShare},
        {"few_elements", judge::kFewElements},
        {"rounding", judge::rounding_error(output->dtype)},
        {"impostor_bits", judge::impostor_bits(*output)}};
  }
  return all;
}

Admission try_gates(const Problem& problem, const std::string& hash, const DeviceInfo& device, double forms_s,
                    Line& line) {
  Admission admission;
  admission.kernel = problem.kernel;
  admission.hash = hash;
  admission.device_name = device.name;
  admission.device_key = device.admission_key;
  json bits = json::object();
  for (const Argument* output : written_arguments(problem)) bits[output->name] = judge::impostor_bits(*output);
  take_errors(line.ask("trial", {{"forms", telling_forms_first()}, {"impostor_bits", bits}, {"forms_s", forms_s}}),
              problem, admission);
  if (admission.problems.empty()) try_spoiled(problem, line, admission);
  admission.passed = admission.problems.empty();
  return admission;
}

}  // namespace harness::callable
