#include "harness/adopt/kernel/classify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "harness/adopt/source/element_type.h"
#include "harness/adopt/source/option_text.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

bool of_pointer(const AdoptedKernel& kernel, const std::string& type) {
  return std::any_of(kernel.declaration.parameters.begin(), kernel.declaration.parameters.end(),
                     [&](const Parameter& parameter) { return parameter.pointee == type; });
}

/// Is it the type of a parameter, or of what one points to?
bool of_parameters(const AdoptedKernel& kernel, const std::string& type) {
  return std::ranges::any_of(kernel.declaration.parameters, [&](const Parameter& parameter) {
    const std::vector<std::string> words = words_of(parameter.pointee.empty() ? parameter.type : parameter.pointee);
    return std::ranges::find(words, type) != words.end();
  });
}

void refuse_foreign_types(const AdoptedKernel& kernel, const Answers& answers) {
  for (const auto& [name, types] : answers.types)
    if (std::ranges::none_of(kernel.declaration.templates, [&, &own = name](const TemplateParameter& parameter) {
          return parameter.type && parameter.name == own;
        }))
      throw bad_input(fmt::format("--type {}: '{}' has no type '{}' among its template parameters", types.text,
                                  kernel.shown_name(), name));
}

Error unknown_type(const AdoptedKernel& kernel, const std::string& parameter, const std::string& type) {
  std::string why = "nothing in the file says what it is launched with";
  if (!kernel.launch.dispatch.empty())
    why = fmt::format("{} around its launch is defined in no file that was read (--include DIR)",
                      kernel.launch.dispatch.substr(0, kernel.launch.dispatch.find('(')));
  else if (!type.empty()) why = fmt::format("its launch has the type {}, which no file that was read explains", type);
  return bad_input(
      fmt::format("{}: '{}' is a template on the type {}, and {}; give --type {}=f32, or several: --type {}=f16,bf16",
                  shown_file(kernel.declaration.file), kernel.shown_name(), parameter, why, parameter, parameter));
}

}  // namespace

void choose_types(AdoptedKernel& kernel, const Answers& answers) {
  refuse_foreign_types(kernel, answers);
  std::string dispatched;
  for (const TemplateParameter& parameter : kernel.declaration.templates) {
    if (!parameter.type) continue;
    const auto argument = kernel.launch.templates.find(parameter.name);
    std::string written = argument == kernel.launch.templates.end() ? "" : argument->second;
    const auto answer = answers.types.find(parameter.name);
    const std::vector<Dtype> types = answer == answers.types.end() ? std::vector<Dtype>() : answer->second.dtypes;
    if (types.size() == 1) written = cuda_type(types.front());
    // int64_t is a long, and arrays of eight bytes are passed as long long: two types to a template.
    if (const auto whole = dtype_of_type(written); whole && !is_floating(*whole) && storage_bytes(*whole) == 8)
      kernel.launch.templates[parameter.name] = written = cuda_type(*whole);
    const bool several = types.size() > 1;
    const std::vector<std::string> words = words_of(written);
    const auto fixed = several ? std::nullopt : dtype_of_type(written);
    const bool word = words.size() == 1 && words[0] == written;
    const bool varies = several || (kernel.launch.dtypes.size() > 1 && types.empty());
    if (fixed &&
        (!is_floating(*fixed) || !kernel.dtype_parameter.empty() || varies || !of_pointer(kernel, parameter.name))) {
      kernel.types[parameter.name] = written;
    } else if (kernel.dtype_parameter.empty() && (written.empty() || word || fixed || several)) {
      kernel.dtype_parameter = parameter.name;
      dispatched = fixed || several ? "" : written;
      if (several) kernel.dtypes = types;
      else if (fixed) kernel.dtypes = {*fixed};
      else
        for (const std::string& type : kernel.launch.dtypes) kernel.dtypes.push_back(*parse_dtype(type));
      if (kernel.dtypes.empty() && of_parameters(kernel, parameter.name))
        throw unknown_type(kernel, parameter.name, written);
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
  const auto type = kernel.types.find(name);
  if (type == kernel.types.end()) return std::nullopt;
  follows = type->second == "$dtype";
  if (follows) return kernel.dtypes.front();
  if (const auto fixed = dtype_of_type(type->second)) return fixed;
  const bool sums = type->second.find("acc_type") != std::string::npos ||
                    type->second.find("opmath") != std::string::npos ||
                    type->second.find("OpMath") != std::string::npos;
  if (!sums || type->second.find("$dtype") == std::string::npos) return std::nullopt;
  std::erase(kernel.dtypes, Dtype::f64);  // sums of all others are made in float
  return kernel.dtypes.empty() ? std::nullopt : std::optional(Dtype::f32);
}

void refuse_type(const AdoptedKernel& kernel, const Parameter& parameter, const std::string& why) {
  throw bad_input(fmt::format("{}: parameter '{}' of '{}' is a {}, {}", shown_file(kernel.declaration.file),
                              parameter.name, kernel.shown_name(), parameter.type, why));
}

/// A floating-point number by a name that says it, as authors mostly choose it: 1e-5 of eps; nothing: any is as good.
std::optional<double> usual_value(const std::string& name) {
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  if (has("eps")) return 1e-5;
  if (name == "lr" || has("learning_rate")) return 1e-3;
  if (name == "beta1" || has("momentum")) return 0.9;
  if (name == "beta2") return 0.999;
  if (has("decay")) return 0.01;
  return std::nullopt;
}

constexpr double kAnyNumber = 0.5;  // while it is observed; then it is asked for

void classify_pointer(AdoptedParameter& adopted, const AdoptedKernel& kernel, const Parameter& parameter,
                      std::optional<Dtype> dtype) {
  if (parameter.resolved.find('*') != std::string::npos)
    refuse_type(kernel, parameter, "a pointer to pointers, whose targets adopt cannot see; pass the arrays one by one");
  if (!dtype) dtype = dtype_of_type(parameter.resolved, &adopted.lanes);
  if (!dtype)
    refuse_type(kernel, parameter,
                "and adopt knows arrays of numbers, and of structures whose fields are all of one type, in the file or "
                "beside it; make it a pointer to a type such as float");
  adopted.dtype = *dtype;
  adopted.declared_read_only = parameter.read_only;
  adopted.evidence = parameter.read_only ? "const in the signature" : "not const in the signature";
  if (parameter.enumerators.empty()) return;
  const auto [least, most] = std::ranges::minmax(parameter.enumerators, {}, &Enumerator::value);
  adopted.from = least.value;
  adopted.below = number(static_cast<double>(most.value + 1));
}

void classify_value(AdoptedParameter& adopted, const AdoptedKernel& kernel, const Parameter& parameter,
                    std::optional<Dtype> dtype) {
  if (!dtype) dtype = dtype_of_type(parameter.resolved);
  if (!dtype || parameter.record)
    refuse_type(kernel, parameter,
                parameter.type.find("Accessor") != std::string::npos
                    ? "a tensor accessor by value; pass its data pointer and sizes"
                    : "a structure by value; pass its fields as parameters of their own");
  adopted.dtype = *dtype;
  const auto constant = kernel.launch.constants.find(parameter.name);
  const bool passed = constant != kernel.launch.constants.end();
  const auto evidence = [&](const std::string& otherwise) { return passed ? "the host passes it" : otherwise; };
  if (*dtype == Dtype::b8) {
    adopted.kind = Param::flag;
    adopted.value = passed ? constant->second : 1;
    adopted.unsaid = !passed;
    adopted.evidence = evidence(fmt::format("nobody said which; --set {}=VALUE", parameter.name));
  } else if (is_floating(*dtype)) {
    adopted.kind = Param::real;
    adopted.value = passed ? constant->second : usual_value(parameter.name).value_or(kAnyNumber);
    adopted.unsaid = !passed;
    adopted.usual = usual_value(parameter.name).has_value();
    adopted.evidence = evidence(fmt::format("{}; --set {}=VALUE",
                                            adopted.usual ? "usual for its name, no file says it" : "nobody said which",
                                            parameter.name));
  } else if (!parameter.enumerators.empty()) {
    const Enumerator& first = parameter.enumerators.front();
    adopted.kind = Param::fixed;
    adopted.value = passed ? constant->second : static_cast<double>(first.value);
    adopted.unsaid = !passed && parameter.enumerators.size() > 1;
    adopted.evidence = evidence(
        fmt::format("{}, the first of {}; --set {}=VALUE says otherwise", first.name, parameter.type, parameter.name));
  } else {
    adopted.kind = Param::size;
    adopted.evidence = fmt::format("{} in the signature", parameter.type);
  }
}

}  // namespace

AdoptedParameter classify(AdoptedKernel& kernel, const Parameter& parameter) {
  AdoptedParameter adopted;
  adopted.name = parameter.name;
  std::string own = parameter.pointee.empty() ? parameter.type : parameter.pointee;
  if (own.starts_with("const ")) own.erase(0, 6);
  bool of_template = !kernel.dtype_parameter.empty() && own == kernel.dtype_parameter;
  std::optional<Dtype> dtype = dtype_of_parameter(kernel, own, of_template);
  if (parameter.name.empty()) refuse_type(kernel, parameter, "has no name; give it one");
  if (of_template) adopted.type = kernel.dtype_parameter;
  if (of_template) dtype = kernel.dtypes.front();
  if (parameter.pointee.empty()) classify_value(adopted, kernel, parameter, dtype);
  else classify_pointer(adopted, kernel, parameter, dtype);
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
         std::ranges::any_of(formula.operands, [](const FormulaPtr& extent) { return subtracts(*extent); });
}

/// Whole numbers below this that a launch passes as literals are settings of the kernel, not sizes: a radius, an axis.
constexpr double kLeastSize = 32;

/// Whole numbers of the signature, but for small ones that the launch passes as literals.
void add_passed_sizes(AdoptedKernel& kernel, const HostLaunch* first) {
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    AdoptedParameter& parameter = kernel.parameters[i];
    if (parameter.kind != Param::size) continue;
    const auto constant = kernel.launch.constants.find(parameter.name);
    const bool has_constant = constant != kernel.launch.constants.end();
    const bool literal = first != nullptr && i < first->arguments.size() && first->arguments[i].size() == 1 &&
                         first->arguments[i][0].kind == Token::Kind::number;
    if (literal && has_constant && constant->second < kLeastSize) {
      parameter.kind = Param::fixed;
      parameter.value = constant->second;
      parameter.evidence = fmt::format("the launch passes {}", constant->second);
      continue;
    }
    AdoptedSize size{.name = name_in_workloads(parameter.name), .symbol = parameter.name};
    if (has_constant) size.host = static_cast<std::int64_t>(constant->second);
    size.evidence = parameter.evidence;
    kernel.sizes.push_back(std::move(size));
  }
}

/// Of a formula's symbols, those that are sizes of the launch alone.
void add_foreign_sizes(AdoptedKernel& kernel, const std::set<std::string>& symbols) {
  for (const std::string& symbol : symbols)
    if (!symbol.starts_with("p.") && !symbol.starts_with("sizeof ") && kernel.size(symbol) == nullptr &&
        !is_parameter(kernel, symbol))
      add_launch_size(kernel, symbol);
}

/// Fixed parameters and flags may stand in a grid and in an assertion too.
void fill_in_values(AdoptedKernel& kernel) {
  std::map<std::string, FormulaPtr> values;
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind == Param::fixed || parameter.kind == Param::flag)
      values[parameter.name] = number(parameter.value);
  kernel.replace_in_launches(values);
  for (const auto& [formula, where] : kernel.launch.asserted)
    kernel.conditions.push_back({with(formula, values), where});
}

/// What derived and fixed parameters stand for.
std::map<std::string, FormulaPtr> settled_values(const AdoptedKernel& kernel) {
  std::map<std::string, FormulaPtr> values = derived_of(kernel);
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind == Param::fixed) values[parameter.name] = number(parameter.value);
  return values;
}

/// Parameters that the host's function computes from others, once the rest is known. Where it subtracts, what is less
/// than 1 is no size: so a quotient of it is the same rounded down and truncated.
void follow_the_host(AdoptedKernel& kernel) {
  for (AdoptedParameter& parameter : kernel.parameters) {
    const auto passed = kernel.launch.follows.find(parameter.name);
    if (passed == kernel.launch.follows.end() || parameter.kind != Param::size) continue;
    const FormulaPtr follows = with(passed->second, settled_values(kernel));
    if (symbols_of(*follows).contains(parameter.name)) continue;
    set_parameter(kernel, parameter, follows, "as the host's function computes it; --set says otherwise");
    if (subtracts(*follows))
      kernel.conditions.push_back({formula(Op::le, {number(1), follows}), parameter.name + " is no less than 1"});
    add_foreign_sizes(kernel, symbols_of(*follows));
  }
}

/// `cols / (256 - 2 * depth)`: what divides is no less than 1.
void keep_divisors_positive(const LaunchShape& launch, const Formula& extent, std::vector<Condition>& conditions) {
  const bool divides = extent.kind == Op::divide || extent.kind == Op::cdiv || extent.kind == Op::modulo;
  if (divides && subtracts(*extent.operands[1]))
    conditions.push_back(
        {where_made(launch, formula(Op::le, {number(1), extent.operands[1]})), "else its launch divides by nothing"});
  for (const FormulaPtr& operand : extent.operands) keep_divisors_positive(launch, *operand, conditions);
}

/// Sizes that make a block larger than a GPU has are none of the kernel's.
void keep_blocks_possible(AdoptedKernel& kernel, const LaunchShape& launch) {
  constexpr double kMostThreads = 1024, kDeepest = 64;
  const std::vector<FormulaPtr>& block = launch.block;
  FormulaPtr threads = number(1);
  for (const FormulaPtr& extent : block) threads = formula(Op::multiply, {threads, extent});
  if (block.size() > 1 && !symbols_of(*threads).empty())
    kernel.conditions.push_back(
        {where_made(launch, formula(Op::le, {threads, number(kMostThreads)})), "a block has at most 1,024 threads"});
  if (block.size() > 2 && !symbols_of(*block[2]).empty())
    kernel.conditions.push_back(
        {where_made(launch, formula(Op::le, {block[2], number(kDeepest)})), "a block is at most 64 deep"});
}

/// Sizes that make a grid less than 1 are none of the kernel's.
void keep_launches_positive(AdoptedKernel& kernel) {
  for (const LaunchShape* launch : kernel.launches()) keep_blocks_possible(kernel, *launch);
  for (const LaunchShape* launch : kernel.launches())
    for (const auto* list : {&launch->grid, &launch->block})
      for (const FormulaPtr& extent : *list) {
        keep_divisors_positive(*launch, *extent, kernel.conditions);
        const bool quotient = extent->kind == Op::divide || extent->kind == Op::cdiv;
        if (subtracts(quotient ? *extent->operands[0] : *extent) && extent->kind != Op::add)
          kernel.conditions.push_back({where_made(*launch, formula(Op::le, {number(1), extent})),
                                       "a launch has at least one block and thread"});
      }
}

}  // namespace

void add_sizes(AdoptedKernel& kernel, const HostLaunch* first) {
  add_passed_sizes(kernel, first);
  add_foreign_sizes(kernel, symbols_of_launches(kernel));
  fill_in_values(kernel);
  follow_the_host(kernel);
  settle_branches(kernel);
  keep_launches_positive(kernel);
  narrow_by_conditions(kernel);
}

void choose_dtype(AdoptedKernel& kernel, const std::vector<Dtype>& dtypes) {
  if (kernel.dtype_parameter.empty()) return;
  for (const Dtype dtype : kernel.dtypes)
    if (std::ranges::find(dtypes, dtype) != dtypes.end()) {
      kernel.dtypes = {dtype};
      for (AdoptedParameter& parameter : kernel.parameters)
        if (!parameter.type.empty()) parameter.dtype = dtype;
      return;
    }
}

namespace {

/// What stands behind `float NAME =`, where all in the files are one number.
std::optional<double> value_in_files(const Source& source, const std::string& name) {
  std::optional<double> value;
  for (const auto& file : source.files)
    for (std::size_t i = 1; i + 3 < file->tokens.size(); ++i) {
      const Tokens& tokens = file->tokens;
      const bool defines =
          tokens[i].is(name) && tokens[i + 1].is("=") && (tokens[i - 1].is("float") || tokens[i - 1].is("double"));
      if (!defines || tokens[i + 2].kind != Token::Kind::number) continue;
      if (!tokens[i + 3].is(",") && !tokens[i + 3].is(")") && !tokens[i + 3].is(";")) continue;
      const double number = std::strtod(std::string(tokens[i + 2].text).c_str(), nullptr);
      if (value && *value != number) return std::nullopt;
      value = number;
    }
  return value;
}

}  // namespace

void take_values_of_the_file(AdoptedKernel& kernel, const Source& source, const HostLaunch* first) {
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    AdoptedParameter& parameter = kernel.parameters[i];
    if (parameter.kind != Param::real || !parameter.unsaid) continue;
    std::string name = parameter.name;  // as the host calls it, where the launch passes it by one word
    if (first != nullptr && i < first->arguments.size() && first->arguments[i].size() == 1)
      name = first->arguments[i].front().text;
    const std::optional<double> value = value_in_files(source, name);
    if (!value) continue;
    parameter.value = *value;
    parameter.unsaid = false;
    parameter.evidence = fmt::format("the file says {} = {}", name, *value);
  }
}

}  // namespace harness::adopt
