#include "harness/adopt/classify.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/adopt/option_text.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

bool of_pointer(const AdoptedKernel& kernel, const std::string& type) {
  return std::any_of(kernel.declaration.parameters.begin(), kernel.declaration.parameters.end(),
                     [&](const Parameter& each) { return each.pointee == type; });
}

}  // namespace

void choose_types(AdoptedKernel& kernel) {
  std::string dispatched;
  for (const TemplateParameter& parameter : kernel.declaration.templates) {
    if (!parameter.type) continue;
    const auto argument = kernel.launch.templates.find(parameter.name);
    const std::string written = argument == kernel.launch.templates.end() ? "" : argument->second;
    const std::vector<std::string> words = words_of(written);
    const bool plain = words.size() == 1 && words[0] == written;
    const auto fixed = dtype_of_type(written);
    if (fixed &&
        (!kernel.dtype_parameter.empty() || kernel.launch.dtypes.size() > 1 || !of_pointer(kernel, parameter.name))) {
      kernel.types[parameter.name] = written;
    } else if (kernel.dtype_parameter.empty() && (written.empty() || plain)) {
      kernel.dtype_parameter = parameter.name;
      dispatched = fixed ? "" : written;
      if (!kernel.launch.dtypes.empty() && !fixed)
        for (const std::string& type : kernel.launch.dtypes) kernel.dtypes.push_back(*parse_dtype(type));
      else kernel.dtypes = {fixed.value_or(Dtype::f32)};
    } else if (written.empty() || written == dispatched) {
      kernel.types[parameter.name] = "$dtype";
    } else {
      kernel.types[parameter.name] = written;
    }
  }
  if (dispatched.empty()) dispatched = "scalar_t";
  for (auto* list : {&kernel.types, &kernel.launch.templates})
    for (auto& [name, text] : *list) text = with_word(text, dispatched, "$dtype");
}

namespace {

/// The element type of a template parameter that is not the dispatched one.
std::optional<Dtype> dtype_of_parameter(AdoptedKernel& kernel, const std::string& name, bool& follows) {
  const auto known = kernel.types.find(name);
  if (known == kernel.types.end()) return std::nullopt;
  follows = known->second == "$dtype";
  if (follows) return kernel.dtypes.front();
  if (const auto fixed = dtype_of_type(known->second)) return fixed;
  const bool sums = known->second.find("acc_type") != std::string::npos ||
                    known->second.find("opmath") != std::string::npos ||
                    known->second.find("OpMath") != std::string::npos;
  if (!sums || known->second.find("$dtype") == std::string::npos) return std::nullopt;
  std::erase(kernel.dtypes, Dtype::f64);  // sums of all others are made in float
  return kernel.dtypes.empty() ? std::nullopt : std::optional(Dtype::f32);
}

void refuse_type(const AdoptedKernel& kernel, const Parameter& parameter, const std::string& why) {
  throw bad_input(fmt::format("{}: parameter '{}' of '{}' is a {}, {}", shown_file(kernel.declaration.file),
                              parameter.name, kernel.shown_name(), parameter.type, why));
}

/// What numbers of such a name usually are, where nobody says.
double usual_value(const std::string& name) {
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  if (has("eps")) return 1e-5;
  if (name == "lr" || has("learning_rate")) return 1e-3;
  if (name == "beta1" || has("momentum")) return 0.9;
  if (name == "beta2") return 0.999;
  if (has("decay")) return 0.01;
  return 0.5;
}

}  // namespace

AdoptedParameter classify(AdoptedKernel& kernel, const Parameter& parameter) {
  AdoptedParameter adopted;
  adopted.name = parameter.name;
  std::string own = parameter.pointee.empty() ? parameter.type : parameter.pointee;
  if (own.starts_with("const ")) own.erase(0, 6);
  bool of_template = !kernel.dtype_parameter.empty() && own == kernel.dtype_parameter;
  const auto chosen = dtype_of_parameter(kernel, own, of_template);
  if (parameter.name.empty()) refuse_type(kernel, parameter, "has no name; give it one");
  if (of_template) adopted.type = kernel.dtype_parameter;
  if (!parameter.pointee.empty()) {
    if (parameter.resolved.find('*') != std::string::npos)
      refuse_type(kernel, parameter,
                  "a pointer to pointers, whose targets adopt cannot see; pass the arrays one by one");
    const auto dtype = of_template ? std::optional(kernel.dtypes.front())
                       : chosen    ? chosen
                                   : dtype_of_type(parameter.resolved, &adopted.lanes);
    if (!dtype)
      refuse_type(kernel, parameter,
                  "and adopt knows arrays of numbers only; make it a pointer to a type such as float");
    adopted.dtype = *dtype;
    adopted.declared_read_only = parameter.read_only;
    adopted.evidence = parameter.read_only ? "const in the signature" : "not const in the signature";
    return adopted;
  }
  const auto dtype = of_template ? std::optional(kernel.dtypes.front())
                     : chosen    ? chosen
                                 : dtype_of_type(parameter.resolved);
  if (!dtype || parameter.record)
    refuse_type(kernel, parameter,
                parameter.type.find("Accessor") != std::string::npos
                    ? "a tensor accessor by value; pass its data pointer and sizes"
                    : "a structure by value; pass its fields as parameters of their own");
  adopted.dtype = *dtype;
  const auto constant = kernel.launch.constants.find(parameter.name);
  const bool known = constant != kernel.launch.constants.end();
  if (*dtype == Dtype::b8) {
    adopted.kind = AdoptedParameter::Kind::flag;
    adopted.value = known ? constant->second : 1;
    adopted.evidence = "bool in the signature";
  } else if (is_floating(*dtype)) {
    adopted.kind = AdoptedParameter::Kind::real;
    adopted.value = known ? constant->second : usual_value(parameter.name);
    adopted.evidence = known ? "the host passes it" : fmt::format("nobody said which; --size {}=VALUE", parameter.name);
  } else if (!parameter.enumerators.empty()) {
    const Enumerator& first = parameter.enumerators.front();
    adopted.kind = AdoptedParameter::Kind::fixed;
    adopted.value = known ? constant->second : static_cast<double>(first.value);
    adopted.evidence = known ? "the host passes it"
                             : fmt::format("{}, the first of {}; --set {}=VALUE says otherwise", first.name,
                                           parameter.type, parameter.name);
  } else {
    adopted.kind = AdoptedParameter::Kind::size;
    adopted.evidence = fmt::format("{} in the signature", parameter.type);
  }
  return adopted;
}

namespace {

/// A size that the host knows and the kernel is not passed.
void add_launch_size(AdoptedKernel& kernel, const std::string& symbol) {
  AdoptedSize size{.name = name_of_size(symbol), .symbol = symbol};
  const auto constant = kernel.launch.constants.find(symbol);
  if (constant != kernel.launch.constants.end()) size.host = static_cast<std::int64_t>(constant->second);
  size.evidence = "the host launches with it, the kernel is not passed it";
  kernel.sizes.push_back(std::move(size));
}

/// Is it a whole number of the kernel?
bool is_parameter(const AdoptedKernel& kernel, const std::string& symbol) {
  return std::ranges::find(kernel.parameters, symbol, &AdoptedParameter::name) != kernel.parameters.end();
}

/// A difference may be less than nothing: (height + 2 * pad - kernel) / stride.
bool subtracts(const Formula& formula) {
  return formula.kind == Op::subtract ||
         std::ranges::any_of(formula.operands, [](const FormulaPtr& each) { return subtracts(*each); });
}

/// Whole numbers below this that a launch passes as literals are settings of the kernel, not sizes: a radius, an axis.
constexpr double kLeastSize = 32;

}  // namespace

void add_sizes(AdoptedKernel& kernel, const FoundLaunch* found) {
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    AdoptedParameter& parameter = kernel.parameters[i];
    if (parameter.kind != AdoptedParameter::Kind::size) continue;
    const auto constant = kernel.launch.constants.find(parameter.name);
    const bool literal = found != nullptr && i < found->arguments.size() && found->arguments[i].size() == 1 &&
                         found->arguments[i][0].kind == Token::Kind::number;
    if (literal && constant != kernel.launch.constants.end() && constant->second < kLeastSize) {
      parameter.kind = AdoptedParameter::Kind::fixed;
      parameter.value = constant->second;
      parameter.evidence = fmt::format("the launch passes {}", constant->second);
      continue;
    }
    AdoptedSize size{.name = name_in_workloads(parameter.name), .symbol = parameter.name};
    if (constant != kernel.launch.constants.end()) size.host = static_cast<std::int64_t>(constant->second);
    size.evidence = parameter.evidence;
    kernel.sizes.push_back(std::move(size));
  }
  std::set<std::string> symbols;
  for (const LaunchShape* launch : kernel.launches()) {
    for (const auto* list : {&launch->grid, &launch->block})
      for (const FormulaPtr& each : *list) symbols.merge(symbols_of(*each));
    symbols.merge(symbols_of(*launch->shared));
  }
  for (const std::string& symbol : symbols) {
    if (symbol.starts_with("p.") || symbol.starts_with("sizeof ") || kernel.size(symbol) != nullptr) continue;
    if (is_parameter(kernel, symbol)) continue;
    add_launch_size(kernel, symbol);
  }
  // Fixed parameters and flags may stand in a grid too.
  std::map<std::string, FormulaPtr> values;
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind == AdoptedParameter::Kind::fixed || parameter.kind == AdoptedParameter::Kind::flag)
      values[parameter.name] = number(parameter.value);
  kernel.replace_in_launches(values);
  for (const auto& [formula, where] : kernel.launch.asserted)
    kernel.conditions.push_back({with(formula, values), where});
  // What the host's function passes, once the rest is known.
  for (AdoptedParameter& parameter : kernel.parameters) {
    const auto known = kernel.launch.follows.find(parameter.name);
    if (known == kernel.launch.follows.end() || parameter.kind != AdoptedParameter::Kind::size) continue;
    std::map<std::string, FormulaPtr> replaced = derived_of(kernel);
    for (const AdoptedParameter& each : kernel.parameters)
      if (each.kind == AdoptedParameter::Kind::fixed) replaced[each.name] = number(each.value);
    const FormulaPtr follows = with(known->second, replaced);
    if (symbols_of(*follows).contains(parameter.name)) continue;
    set_parameter(kernel, parameter, follows, "as the host's function computes it; --set says otherwise");
    if (subtracts(*follows))
      kernel.conditions.push_back({formula(Op::le, {number(1), follows}), parameter.name + " is no less than 1"});
    for (const std::string& symbol : symbols_of(*follows))
      if (!symbol.starts_with("p.") && kernel.size(symbol) == nullptr && !is_parameter(kernel, symbol))
        add_launch_size(kernel, symbol);
  }
}

}  // namespace harness::adopt
