#include "harness/adopt/kernel/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/adopt/host/branches.h"

namespace harness::adopt {

namespace {

std::string with_dtype(const std::string& text, bool wide, const std::string& dtype) {
  std::string result = wide ? with_doubles(text) : text;
  for (std::size_t at = 0; (at = result.find("$dtype", at)) != std::string::npos; at += dtype.size())
    result.replace(at, 6, dtype);
  return result;
}

}  // namespace

const AdoptedSize* AdoptedKernel::size(const std::string& symbol) const {
  for (const AdoptedSize& size : sizes)
    if (size.symbol == symbol) return &size;
  return nullptr;
}

void set_step(AdoptedSize& size, std::int64_t step) {
  size.step = step;
  size.low = std::max(step, (size.least + step - 1) / step * step);
}

std::string name_of_size(const std::string& symbol) {
  std::string name;
  for (const char c : symbol)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name_in_workloads(name);
}

std::string name_in_workloads(const std::string& name) {
  static const std::set<std::string> kTaken{"and",   "break",    "do",     "else",    "elseif", "end",   "false",
                                            "for",   "function", "goto",   "if",      "in",     "local", "nil",
                                            "not",   "or",       "repeat", "return",  "then",   "true",  "until",
                                            "while", "name",     "sets",   "devices", "weight", "dtype", "where"};
  return kTaken.contains(name) ? name + "_size" : name;
}

std::map<std::string, FormulaPtr> derived_of(const AdoptedKernel& kernel) {
  std::map<std::string, FormulaPtr> all;
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind == Param::derived) all[parameter.name] = parameter.follows;
  return all;
}

namespace {

void set_value(AdoptedParameter& parameter, const FormulaPtr& value) {
  parameter.kind = value->kind == Op::number ? Param::fixed : Param::derived;
  parameter.value = value->kind == Op::number ? value->number : 0;
  parameter.follows = value->kind == Op::number ? nullptr : value;
}

}  // namespace

void set_parameter(AdoptedKernel& kernel, AdoptedParameter& parameter, const FormulaPtr& follows,
                   const std::string& evidence) {
  const std::string symbol = parameter.name;
  parameter.kind = Param::fixed;  // of what it was nothing follows
  set_size(kernel, symbol, follows);
  set_value(parameter, follows);
  parameter.evidence = evidence;
}

void set_size(AdoptedKernel& kernel, const std::string& symbol, const FormulaPtr& follows) {
  const std::map<std::string, FormulaPtr> replaced{{symbol, follows}};
  for (AdoptedParameter& candidate : kernel.parameters)  // what followed from it follows from what it follows from
    if (candidate.kind == Param::derived) set_value(candidate, with(candidate.follows, replaced));
  for (Condition& condition : kernel.conditions) condition.formula = with(condition.formula, replaced);
  std::erase_if(kernel.sizes, [&](const AdoptedSize& size) { return size.symbol == symbol; });
  kernel.replace_in_launches(replaced);
}

bool conditions_hold(const AdoptedKernel& kernel, const Values& sizes) {
  return std::all_of(kernel.conditions.begin(), kernel.conditions.end(),
                     [&](const Condition& condition) { return evaluate(*condition.formula, sizes).value_or(0) != 0; });
}

bool is_array(const AdoptedParameter& parameter) {
  return parameter.kind == Param::pointer || parameter.kind == Param::scratch;
}

bool is_passed(const AdoptedParameter& parameter) {
  return parameter.symbol.empty();
}

std::vector<ConstantTable> constants_of(const AdoptedKernel& kernel) {
  std::vector<ConstantTable> constants;
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (!is_passed(parameter)) constants.push_back({parameter.symbol, parameter.name});
  return constants;
}

std::set<std::string> symbols_of_launches(const AdoptedKernel& kernel) {
  std::set<std::string> symbols;
  for (const LaunchShape* launch : kernel.launches()) {
    for (const auto* list : {&launch->grid, &launch->block})
      for (const FormulaPtr& extent : *list) symbols.merge(symbols_of(*extent));
    symbols.merge(symbols_of(*launch->shared));
    if (launch->when) symbols.merge(symbols_of(*launch->when));
  }
  return symbols;
}

std::vector<const LaunchShape*> AdoptedKernel::launches() const {
  std::vector<const LaunchShape*> all{&launch};
  for (const FurtherLaunch& next : further) all.push_back(&next.launch);
  return all;
}

void AdoptedKernel::replace_in_launches(const std::map<std::string, FormulaPtr>& replaced) {
  const auto replace = [&](LaunchShape& shape) {
    for (auto* list : {&shape.grid, &shape.block})
      for (FormulaPtr& extent : *list) extent = with(extent, replaced);
    shape.shared = with(shape.shared, replaced);
    if (shape.when) shape.when = with(shape.when, replaced);
  };
  replace(launch);
  for (FurtherLaunch& next : further) replace(next.launch);
}

FormulaPtr where_made(const LaunchShape& launch, const FormulaPtr& condition) {
  if (!launch.when || launch.when->kind == Op::number) return condition;
  return formula(Op::any_of, {opposite(launch.when), condition});
}

bool is_made(const LaunchShape& launch, const Values& values) {
  return !launch.when || evaluate(*launch.when, values).value_or(1) != 0;
}

std::string AdoptedKernel::entry_of_launch(std::size_t i, const std::string& first) const {
  if (i == 0 || !first.starts_with(qualified)) return first;
  return further.at(i - 1).qualified + first.substr(qualified.size());
}

std::string AdoptedKernel::entry_for(const std::string& dtype, const std::map<std::string, std::string>& values,
                                     bool wide) const {
  if (declaration.templates.empty()) return qualified;
  std::string list;
  for (const TemplateParameter& parameter : declaration.templates) {
    std::string argument;
    if (const auto value = values.find(parameter.name); value != values.end() && bound.contains(parameter.name))
      argument = value->second;
    else if (parameter.name == dtype_parameter) argument = dtype;
    else if (const auto type = types.find(parameter.name); type != types.end())
      argument = with_dtype(type->second, wide, dtype);
    else if (const auto passed = launch.templates.find(parameter.name); passed != launch.templates.end())
      argument = with_dtype(passed->second, wide, dtype);
    if (argument.empty()) break;  // the source has a default
    list += (list.empty() ? "" : ",") + argument;
  }
  return fmt::format("{}<{}>", qualified, list);
}

std::map<std::string, std::string> AdoptedKernel::first_templates() const {
  std::map<std::string, std::string> values;
  for (const auto& [name, how] : bound)
    if (how == "template") values[name] = fmt::format("{}", tuned.at(name).front());
  return values;
}

Values AdoptedKernel::settings(Dtype dtype, const std::map<std::string, std::int64_t>& values) const {
  Values all;
  for (const auto& [name, list] : tuned) {
    const auto entry = values.find(name);
    all["p." + name] = entry == values.end() ? list.front() : entry->second;
  }
  for (const char* name : {"scalar_t", "T"}) all[std::string("sizeof ") + name] = storage_bytes(dtype);
  if (!dtype_parameter.empty()) all["sizeof " + dtype_parameter] = storage_bytes(dtype);
  return all;
}

}  // namespace harness::adopt
