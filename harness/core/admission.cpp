#include "harness/core/admission.h"

#include <algorithm>

#include "harness/core/json_fields.h"

namespace harness {

std::string workload_group(const Workload& workload) {
  std::string group;
  for (const auto& [name, value] : workload.values) {
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr) group += (group.empty() ? "" : " ") + name + "=" + *text;
  }
  return group;
}

const Tolerance* find_tolerance(const Admission& admission, const std::string& group, const std::string& form,
                                const std::string& output) {
  for (const Tolerance& tolerance : admission.tolerances)
    if (tolerance.group == group && tolerance.form == form && tolerance.output == output) return &tolerance;
  return nullptr;
}

std::vector<std::string> admitted_forms(const Admission& admission, const std::string& group) {
  std::vector<std::string> forms{"nominal"};
  for (const Tolerance& tolerance : admission.tolerances)
    if (tolerance.group == group && std::find(forms.begin(), forms.end(), tolerance.form) == forms.end())
      forms.push_back(tolerance.form);
  return forms;
}

HARNESS_JSON_DEFAULTS(Tolerance, group, form, output, honest, impostor, tolerance, origin)
HARNESS_JSON_DEFAULTS(MutantVerdict, name, workload, output, caught_by, detail)
HARNESS_JSON_DEFAULTS(Admission, kernel, device_name, device_key, hash, passed, tolerances, mutants, skipped_forms,
                      problems, seconds, spot_checked)

}  // namespace harness
