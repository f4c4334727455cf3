#include "harness/package/folder/self_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/package/launcher/formula_text.h"
#include "harness/package/literals.h"
#include "harness/package/placeholders.h"

namespace harness::package {
namespace {

constexpr const char* kSelfCheck =
#include "embedded/harness/package/folder/self_check.in"
    ;

/// Larger ones would not fit every GPU, and take long.
constexpr std::int64_t kMostElements = std::int64_t{1} << 28;

double number_in(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return 0;
}

std::string type_word(Dtype dtype) {
  for (const Dtype known : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16})
    if (dtype == known) return fmt::format("Type::{}", name(dtype));
  return "Type::other";
}

double tolerance_of(const Problem& problem) {
  double tolerance = 1e-5;
  for (const Argument& argument : problem.arguments) {
    if (!is_written(argument.kind)) continue;
    if (argument.dtype == Dtype::bf16) tolerance = std::max(tolerance, 2e-2);
    if (argument.dtype == Dtype::f16) tolerance = std::max(tolerance, 5e-3);
    if (argument.dtype == Dtype::f32) tolerance = std::max(tolerance, 2e-3);
  }
  return tolerance;
}

std::string field_value(const Launcher& launcher, const FieldLimits& field, const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value))
    return std::to_string(enumerator(launcher, field.name, *text));
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  return to_text(value);
}

std::string case_text(const Launcher& launcher, const Workload& workload, const Problem& problem) {
  const std::string name = launcher_name(launcher.kernel);
  std::string sizes, tensors, arguments;
  for (const FieldLimits& field : launcher.fields)
    sizes += field_value(launcher, field, workload.values.at(field.name)) + ", ";
  // Parameters are typed: each pointer is cast to its own.
  const std::vector<std::string> parameters = launcher_parameters(launcher);
  std::size_t place = 0;
  for (std::size_t i = 0; i < problem.arguments.size(); ++i) {
    const Argument& argument = problem.arguments[i];
    const std::string type = parameters[i].substr(0, parameters[i].rfind(' '));
    if (argument.kind == ArgumentKind::scalar) {
      arguments += fmt::format("({}){:.17g}, ", type, number_in(*argument.value));
      continue;
    }
    const std::int64_t elements = argument.absent ? 0 : span_elements(argument);
    if (elements > kMostElements) return "";
    tensors += fmt::format("       {{{}, {}, {}, {}, {}, {}}},\n", quoted(argument.name), type_word(argument.dtype),
                           storage_bytes(argument.dtype), elements, argument.kind != ArgumentKind::output,
                           argument.kind != ArgumentKind::input);
    arguments += fmt::format("({})p[{}], ", type, place++);
  }
  return fmt::format(
      "  {{\n    static const {0}_sizes sizes = {{{1}}};\n    cases.push_back(\n      {{{2}, {3}, sizes, {{\n{4}"
      "       }},\n"
      "       [](int choice, const std::vector<void*>& p, void* workspace, size_t bytes, void* stream) {{\n"
      "         return choice < 0 ? {0}_run(&sizes, {5}workspace, bytes, stream)\n"
      "                           : {0}_run_as(choice, &sizes, {5}workspace, bytes, stream);\n"
      "       }}}});\n  }}\n",
      name, sizes, quoted(workload.name), tolerance_of(problem), tensors, arguments);
}

}  // namespace

std::string self_check(const PackageModel& model, FormulaCatalog& catalog) {
  const std::string name = launcher_name(model.launcher.kernel);
  std::string upper = name, cases;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (const MeasuredPoint& point : model.record.points)
    cases +=
        case_text(model.launcher, point.workload, catalog.plugin(model.launcher.kernel).problem(point.workload.name));
  return filled(kSelfCheck, {{"NAME", name}, {"UPPER", upper}, {"CASES", cases}});
}

}  // namespace harness::package
