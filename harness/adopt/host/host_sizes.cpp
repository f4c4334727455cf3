#include "harness/adopt/host/host_sizes.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/adopt/host/branches.h"
#include "harness/adopt/host/local_values.h"
#include "harness/adopt/host/tensor_extents.h"
#include "harness/adopt/source/tokens.h"

namespace harness::adopt {
namespace {

/// Parameters that the launch passes something for.
std::size_t passed_parameters(const KernelLaunch& at) {
  return std::min(at.launch->arguments.size(), at.kernel.parameters.size());
}

bool is_size(const Parameter& parameter) {
  return parameter.pointee.empty() && parameter.whole;
}

/// Then it is a part of something, and a size of its own: dim = qkv.size(2) / 3 / heads.
bool has_quotient(const Formula& formula) {
  return formula.kind == Op::divide || formula.kind == Op::modulo || formula.kind == Op::cdiv ||
         std::ranges::any_of(formula.operands, [](const FormulaPtr& operand) { return has_quotient(*operand); });
}

/// channels * height * width: sizes of the kernel, and at least one that only the function is given, by itself or with
/// a tensor (x.size(0)).
bool is_of_host_sizes(const Formula& formula, const KernelLaunch& at, const HostFunction& function,
                      const std::string& but) {
  const std::set<std::string> none;
  std::size_t own = 0, of_kernel = 0;
  for (const std::string& name : symbols_of(formula)) {
    const HostFunction::Parameter* const given = function.parameter(name);
    const bool passed = is_of_parameters(*symbol(name), {at.source, at.launch, at.kernel, none}, but),
               of_tensor = extent_of(name, "size").has_value() && !has_quotient(formula);
    const bool of_function = given != nullptr && !given->array && given->whole;
    if (!passed && !of_tensor && !of_function) return false;
    ++(passed ? of_kernel : own);
  }
  return own > 0 && of_kernel > 0;
}

/// Is the variable set once, whatever the sizes are?
bool is_settled(const HostFunction& function, const KernelLaunch& at, std::string_view variable) {
  const auto settings = function.settings_of(variable, at.launch->token);
  return settings.size() == 1 && settings[0].declaration && function.control_over(settings[0].at).empty();
}

/// Of a tensor that the function makes with empty({a, b}) or zeros({a, b}); empty: it makes none so.
std::vector<FormulaPtr> extents_of_made(const KernelLaunch& at, const HostFunction& function, const Resolver& resolver,
                                        const std::string& name) {
  constexpr int kMostDimensions = 5;
  for (int rank = 1; rank <= kMostDimensions && function.allocates(name); ++rank) {
    std::vector<FormulaPtr> extents;
    for (const std::string& text : extents_of_tensor(at.launch, name, rank))
      extents.push_back(text.starts_with(name + ".size(") ? nullptr : resolver.read(tokens_of(text)));
    if (std::ranges::find(extents, nullptr) == extents.end()) return extents;
  }
  return {};
}

/// `assert(H * N == C)`: C follows from the others, and is a number in `assert(B == 1)`.
bool take_equation(const Formula& asserted, LaunchShape& shape) {
  if (asserted.kind != Op::eq) return false;
  for (const auto& [own, other] :
       {std::pair{asserted.operands[0], asserted.operands[1]}, std::pair{asserted.operands[1], asserted.operands[0]}}) {
    if (own->kind != Op::symbol || own->symbol.starts_with("p.") || symbols_of(*other).contains(own->symbol)) continue;
    return shape.follows.emplace(own->symbol, other).second;
  }
  return false;
}

}  // namespace

bool is_of_parameters(const Formula& formula, const KernelLaunch& at, const std::string& but) {
  return std::ranges::all_of(symbols_of(formula), [&](const std::string& name) {
    if (name.starts_with("p.") && at.tuned.contains(name.substr(2))) return true;
    return name != but && std::ranges::any_of(at.kernel.parameters, [&](const Parameter& parameter) {
             return parameter.name == name && is_size(parameter);
           });
  });
}

std::map<std::string, FormulaPtr> note_what_tensors_say(const KernelLaunch& at, LaunchShape& shape) {
  std::map<std::string, std::string> texts;
  for (std::size_t i = 0; i < passed_parameters(at); ++i) {
    const Parameter& parameter = at.kernel.parameters[i];
    if (!is_size(parameter) || shape.follows.contains(parameter.name)) continue;
    const FormulaPtr formula = argument_of_others(at, i);
    if (formula && formula->kind == Op::symbol) texts[parameter.name] = formula->symbol;
  }
  const TensorExtents extents(texts);
  for (const auto& [parameter, text] : texts)
    if (const FormulaPtr follows = extents.follows(text)) shape.follows[parameter] = follows;
  std::map<std::string, FormulaPtr> parameters;
  for (const auto& [parameter, text] : texts) parameters.emplace(text, symbol(parameter));
  return parameters;
}

void note_what_the_host_computes(const KernelLaunch& at, const HostFunction* function, LaunchShape& shape) {
  for (std::size_t i = 0; i < passed_parameters(at); ++i)
    if (const std::string& text = at.launch->passed[i]; at.tuned.contains(text) && at.kernel.parameters[i].whole)
      shape.follows[at.kernel.parameters[i].name] = symbol("p." + text);
  if (function == nullptr || !function->is_given_its_sizes()) return;
  for (std::size_t i = 0; i < passed_parameters(at); ++i) {
    const Tokens& argument = at.launch->arguments[i];
    const Parameter& parameter = at.kernel.parameters[i];
    if (argument.empty() || !is_size(parameter) || shape.follows.contains(parameter.name)) continue;
    if (argument.size() == 1 && !is_settled(*function, at, argument[0].text)) continue;
    const FormulaPtr formula = argument_of_others(at, i);
    if (formula && is_whole(*formula) &&
        (is_of_parameters(*formula, at, parameter.name) || is_of_host_sizes(*formula, at, *function, parameter.name)))
      shape.follows[parameter.name] = formula;
  }
}

void note_assertions(const KernelLaunch& at, const Resolver& resolver,
                     const std::map<std::string, FormulaPtr>& of_tensors, LaunchShape& shape) {
  const HostFunction* const function = resolver.function();
  if (function == nullptr) return;
  for (const Tokens& assertion : function->assertions()) {
    const FormulaPtr read = resolver.read(assertion);
    const FormulaPtr formula = read ? with(read, of_tensors) : nullptr;
    for (const FormulaPtr& one : formula ? parts_of_all(formula) : std::vector<FormulaPtr>()) {
      if (!is_whole(*one) || symbols_of(*one).empty() || !is_of_parameters(*one, at, "") || take_equation(*one, shape))
        continue;
      shape.asserted.emplace_back(one, fmt::format("{}:{} asks for it", at.launch->file->name, assertion.front().line));
    }
  }
}

void note_allocations(const KernelLaunch& at, const Resolver& resolver,
                      const std::map<std::string, FormulaPtr>& of_tensors, LaunchShape& shape) {
  const HostFunction* const function = resolver.function();
  if (function == nullptr) return;
  for (std::size_t i = 0; i < passed_parameters(at); ++i) {
    const Parameter& parameter = at.kernel.parameters[i];
    if (parameter.pointee.empty() || at.launch->arguments[i].empty()) continue;
    const std::string name(at.launch->arguments[i][0].text);  // x or x.data_ptr<float>()
    const Tokens asked_for = function->bytes_of(name);
    FormulaPtr bytes;
    if (!asked_for.empty()) {
      bytes = resolver.read(asked_for);
    } else if (auto extents = extents_of_made(at, *function, resolver, name); !extents.empty()) {
      for (FormulaPtr& extent : extents) extent = with(extent, of_tensors);
      shape.tensors[parameter.name] = extents;
      bytes = resolver.read(tokens_of("sizeof(" + parameter.pointee + ")"));
      for (const FormulaPtr& extent : extents)
        if (bytes) bytes = formula(Op::multiply, {bytes, extent});
    }
    if (bytes && is_of_parameters(*bytes, at, "")) shape.allocated[parameter.name] = bytes;
  }
}

std::vector<std::string> order_of_host(const KernelLaunch& at, const HostFunction* function) {
  std::vector<std::string> order;
  if (function == nullptr) return order;
  for (const HostFunction::Parameter& own : function->parameters()) {
    if (own.array || !own.whole) continue;
    std::string name = own.name;
    for (std::size_t i = 0; i < passed_parameters(at); ++i)
      if (at.kernel.parameters[i].pointee.empty() && at.launch->passed[i] == own.name)
        name = at.kernel.parameters[i].name;
    order.push_back(name);
  }
  return order;
}

std::vector<std::string> order_of_tensors(const KernelLaunch& at) {
  constexpr int kBehindAll = 100;  // x.size(-1)
  std::vector<std::string> tensors;
  std::map<std::string, std::map<int, std::string>> dimensions;
  const auto note = [&](const std::string& text, const std::string& name) {
    const auto extent = extent_of(text, "size");
    if (!extent) return;
    const auto& [tensor, dimension] = *extent;
    if (!dimensions.contains(tensor)) tensors.push_back(tensor);
    std::string& noted = dimensions[tensor][dimension < 0 ? kBehindAll : dimension];
    if (noted.empty() || name != text) noted = name;
  };
  for (std::size_t i = 0; i < passed_parameters(at); ++i) {
    const Parameter& parameter = at.kernel.parameters[i];
    if (!is_size(parameter)) continue;
    const FormulaPtr formula = argument_of_others(at, i);
    const std::set<std::string> symbols = formula ? symbols_of(*formula) : std::set<std::string>();
    for (const std::string& name : symbols) note(name, symbols.size() == 1 ? parameter.name : name);
  }
  std::vector<std::string> order;
  for (const std::string& tensor : tensors)
    for (const auto& [dimension, name] : dimensions[tensor]) order.push_back(name);
  return order;
}

}  // namespace harness::adopt
