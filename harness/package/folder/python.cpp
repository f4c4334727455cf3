#include "harness/package/folder/python.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "harness/core/printable.h"
#include "harness/package/placeholders.h"

namespace harness::package {
namespace {

constexpr const char* kPythonInit =
#include "embedded/harness/package/folder/python/init.in"
    ;

constexpr const char* kPythonContract =
#include "embedded/harness/package/folder/python/contract.in"
    ;

constexpr const char* kPythonLibrary =
#include "embedded/harness/package/folder/python/library.in"
    ;

bool is_read(const FormulaArgument& argument) {
  return argument.kind == ArgumentKind::input || argument.kind == ArgumentKind::inout;
}

/// Sizes that the shape or a stride of a tensor states by itself.
std::set<std::string> stated(const FormulaPlan& plan) {
  std::set<std::string> names;
  for (const FormulaArgument& argument : plan.arguments) {
    if (!is_read(argument)) continue;
    for (const auto* part : {&argument.shape, &argument.strides})
      for (const Formula& formula : *part)
        if (formula.is_object() && formula.contains("size")) names.insert(formula.at("size").get<std::string>());
  }
  return names;
}

}  // namespace

std::string python_call(const Launcher& launcher) {
  const FormulaPlan& plan = launcher.instances.front().plan;
  const std::set<std::string> stated_names = stated(plan);
  std::vector<std::string> parameters, flags, made;
  for (const FormulaArgument& argument : plan.arguments)
    if (is_read(argument)) parameters.push_back(argument.name);
  for (const FormulaArgument& argument : plan.arguments) {
    if (argument.kind == ArgumentKind::scalar) parameters.push_back(argument.name);
    if (argument.kind == ArgumentKind::output) made.push_back(argument.name);
  }
  for (const FieldLimits& field : launcher.fields) {
    if (std::holds_alternative<bool>(field.example)) flags.push_back(field.name + "=False");
    else if (!std::holds_alternative<std::string>(field.example) && !stated_names.contains(field.name))
      parameters.push_back(field.name);
  }
  parameters.insert(parameters.end(), flags.begin(), flags.end());
  return fmt::format("{}{}{}.run({})", fmt::join(made, ", "), made.empty() ? "" : " = ", launcher_name(launcher.kernel),
                     fmt::join(parameters, ", "));
}

std::map<std::string, std::string> python_files(const Launcher& launcher) {
  const std::string name = launcher_name(launcher.kernel);
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const Placeholders words = {{"NAME", name},
                              {"UPPER", upper},
                              {"SUMMARY", printable(launcher.summary, Lines::one)},
                              {"PYTHON_CALL", python_call(launcher)}};
  return {{"__init__.py", filled(kPythonInit, words)},
          {"_contract.py", filled(kPythonContract, words)},
          {"_library.py", filled(kPythonLibrary, words)}};
}

}  // namespace harness::package
