#include "harness/adopt/plugin/variant.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/adopt/plugin/lua_text.h"
#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

std::string launch_argument(const AdoptedParameter& parameter, const AdoptedKernel& kernel) {
  if (parameter.kind != Param::size && parameter.kind != Param::derived) return fmt::format("\"{}\"", parameter.name);
  const char* const type = storage_bytes(parameter.dtype) == 8 ? "i64" : parameter.dtype == Dtype::u32 ? "u32" : "i32";
  return fmt::format("{}({})", type,
                     parameter.follows ? lua(kernel, *parameter.follows) : lua_name(kernel, parameter.name));
}

std::string workspaces_text(const AdoptedKernel& kernel) {
  std::string text;
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind == Param::scratch)
      text += noted(fmt::format("      workspace {{ \"{}\", bytes = {}, align = 256, init = \"{}\" }},", parameter.name,
                                lua(kernel, *scratch_bytes(parameter, false)), parameter.zeroed ? "zeroed" : "dirty"),
                    parameter.evidence);
  return text.empty() ? "" : "  workspaces = function(p, w, device)\n    return {\n" + text + "    }\n  end,\n";
}

/// The parameters and what the original has of them.
std::string parameters_text(const AdoptedKernel& kernel) {
  std::vector<std::string> parameters, originals;
  for (const auto& [name, values] : kernel.tuned) {
    std::vector<std::int64_t> by_size = values;
    std::ranges::sort(by_size);
    parameters.push_back(fmt::format("{} = {{ values = {{ {} }}, bind = \"{}\" }}", name, fmt::join(by_size, ", "),
                                     kernel.bound.at(name)));
    if (values.front() != by_size.front()) originals.push_back(fmt::format("{} = {}", name, values.front()));
  }
  std::string text;
  if (!parameters.empty()) text += fmt::format("  params = {{ {} }},\n", fmt::join(parameters, ", "));
  if (!originals.empty())
    text += noted(fmt::format("  start = {{ {{ {} }} }},", fmt::join(originals, ", ")),
                  "the original, which the others are compared with");
  return text;
}

std::string launches_text(const AdoptedKernel& kernel) {
  std::map<std::string, std::string> dollars;
  for (const auto& [name, how] : kernel.bound)
    if (how == "template") dollars[name] = "$" + name;
  std::vector<std::string> arguments;
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (is_passed(parameter)) arguments.push_back(launch_argument(parameter, kernel));
  const std::string first = kernel.entry_for("$dtype", dollars);
  const std::vector<const LaunchShape*> launches = kernel.launches();
  std::string text;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (launches.size() > 1) text += "\n     ";
    const FormulaPtr& when = launches[i]->when;
    text += fmt::format(
        " launch {{ entry = \"{}\",\n{}                      grid = {}, block = {}, shared = {},\n"
        "                      args = {{ {} }} }}{}",
        kernel.entry_of_launch(i, first),
        when->kind == Op::number ? "" : fmt::format("                      when = {},\n", lua(kernel, *when)),
        lua_list(kernel, launches[i]->grid), lua_list(kernel, launches[i]->block), lua(kernel, *launches[i]->shared),
        fmt::join(arguments, ", "), launches.size() > 1 ? "," : "");
  }
  return text + (launches.size() > 1 ? "\n    }" : " }");
}

}  // namespace

std::string variant_manifest(const AdoptedKernel& kernel) {
  std::string text = "return variant {\n  technique = \"original\", risk = \"low\",\n";
  text += "  estimate = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },\n";
  text += parameters_text(kernel);
  if (!kernel.further.empty()) text += "  multi_kernel = true,\n" + workspaces_text(kernel);
  text += constants_text(kernel, "  ");
  text += noted("  steps = function(p, w, device)",
                kernel.further.empty() ? kernel.launch.from : "as " + kernel.function + " launches");
  text += "    return {" + launches_text(kernel) + "\n  end,\n}\n";
  return with_bytes_of("", text);
}

}  // namespace harness::adopt
