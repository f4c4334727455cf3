#include "harness/adopt/kernel/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "harness/adopt/host/resolve_launch.h"
#include "harness/adopt/source/option_text.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"

namespace harness::adopt {
namespace {

AdoptedParameter& pointer_named(AdoptedKernel& kernel, const Answers::Array& answer) {
  std::vector<std::string> names;
  for (AdoptedParameter& parameter : kernel.parameters) {
    if (!is_array(parameter)) continue;
    if (parameter.name == answer.name) return parameter;
    names.push_back(parameter.name);
  }
  throw bad_input(fmt::format("--arg \"{}\": '{}' is no pointer of '{}'{}; they are: {}", answer.text, answer.name,
                              kernel.shown_name(), did_you_mean(answer.name, names), fmt::join(names, ", ")));
}

/// Sizes of an answer that the kernel is not passed.
void add_symbols(AdoptedKernel& kernel, const Formula& formula, const char* evidence) {
  for (const std::string& symbol : symbols_of(formula)) {
    if (kernel.size(symbol) != nullptr || symbol.starts_with("p.")) continue;
    AdoptedSize size{.name = name_in_workloads(symbol), .symbol = symbol};
    size.evidence = evidence;
    kernel.sizes.push_back(std::move(size));
  }
}

void apply_array(AdoptedKernel& kernel, const Answers::Array& answer) {
  AdoptedParameter& parameter = pointer_named(kernel, answer);
  if (answer.shaped) {
    parameter.shape = read_dimensions("--arg", answer.shape, kernel.declaration, {});
    parameter.answered = true;
    parameter.evidence = "--arg";
  }
  if (!answer.role.empty()) parameter.role = answer.role;
  parameter.zeroed = parameter.zeroed || answer.zeroed;
  if (answer.dtype && storage_bytes(*answer.dtype) != storage_bytes(parameter.dtype))
    throw bad_input(fmt::format("--arg \"{}\": the signature says that '{}' is {}", answer.text, parameter.name,
                                name(parameter.dtype)));
  parameter.dtype = answer.dtype.value_or(parameter.dtype);
  parameter.from = answer.from.value_or(parameter.from);
  if (!answer.below.empty()) parameter.below = read_dimensions("--arg", answer.below, kernel.declaration, {}).front();
  for (FormulaPtr& extent : parameter.shape) extent = with(extent, derived_of(kernel));
  for (const FormulaPtr& extent : parameter.shape) add_symbols(kernel, *extent, "--arg");
}

/// "eps=1e-6" of a floating-point number, "causal=1" or "causal=true" of a flag.
void set_real(AdoptedParameter& parameter, const Answers::Setting& answer) {
  const std::string value = answer.expression == "true" ? "1" : answer.expression == "false" ? "0" : answer.expression;
  char* end = nullptr;
  parameter.value = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0') throw bad_input(fmt::format("--set {}: '{}' is no number", answer.text, value));
  parameter.unsaid = false;
  parameter.evidence = "--set";
}

/// "act=3" is the same in every call; "C=D+2*D*deg" follows from what else the kernel is passed.
void apply_setting(AdoptedKernel& kernel, const Answers::Setting& answer) {
  const std::string& name = answer.name;
  std::vector<std::string> names;
  const auto read = [&] {
    const std::vector<FormulaPtr> all = read_dimensions("--set", answer.expression, kernel.declaration, {});
    std::map<std::string, FormulaPtr> replaced = derived_of(kernel);
    replaced.erase(name);
    for (const AdoptedParameter& parameter : kernel.parameters)
      if (parameter.kind == Param::fixed && parameter.name != name) replaced[parameter.name] = number(parameter.value);
    const FormulaPtr follows = with(all.front(), replaced);
    if (all.size() != 1 || symbols_of(*follows).contains(name))
      throw bad_input(fmt::format("--set {}: say one number, or how '{}' follows from other sizes", answer.text, name));
    return follows;
  };
  for (AdoptedParameter& parameter : kernel.parameters) {
    const bool number = parameter.kind == Param::real || parameter.kind == Param::flag;
    if (number && parameter.name == name) return set_real(parameter, answer);
    if (parameter.kind != Param::size && parameter.kind != Param::fixed && parameter.kind != Param::derived) continue;
    names.push_back(parameter.name);
    if (parameter.name != name) continue;
    const FormulaPtr follows = read();
    parameter.unsaid = false;
    set_parameter(kernel, parameter, follows, "--set");
    add_symbols(kernel, *follows, "--set");
    return;
  }
  for (const AdoptedSize& size : kernel.sizes) {  // that the host alone knows
    names.push_back(size.name);
    if (size.name != name && size.symbol != name) continue;
    const FormulaPtr follows = read();
    set_size(kernel, std::string(size.symbol), follows);
    add_symbols(kernel, *follows, "--set");
    return;
  }
  throw bad_input(fmt::format("--set {}: '{}' has no whole number '{}'{}; it has: {}", answer.text, kernel.shown_name(),
                              name, did_you_mean(name, names), fmt::join(names, ", ")));
}

/// The kernel is told its sizes in types that may be too small for one.
void refuse_too_large(const AdoptedKernel& kernel, const AdoptedSize& size, const std::string& text) {
  for (const AdoptedParameter& parameter : kernel.parameters) {
    if (parameter.kind != AdoptedParameter::Kind::size || parameter.name != size.symbol) continue;
    const int bits = 8 * storage_bytes(parameter.dtype) - (name(parameter.dtype).starts_with("s") ? 1 : 0);
    for (const std::int64_t value : size.values)
      if (bits < 63 && value >> bits != 0)
        throw bad_input(fmt::format("--size {}: {} does not fit '{}', which '{}' takes as {}", text, value,
                                    parameter.name, kernel.shown_name(), name(parameter.dtype)));
  }
}

void apply_size(AdoptedKernel& kernel, const Answers::Sizes& answer) {
  const auto& [text, name, list] = answer;
  std::vector<std::string> names;
  for (AdoptedSize& size : kernel.sizes) {
    names.push_back(size.name);
    if (size.name != name && size.symbol != name) continue;
    for (const std::string& value : by_commas(list)) size.values.push_back(whole("--size " + text, value));
    refuse_too_large(kernel, size, text);
    return;
  }
  for (AdoptedParameter& parameter : kernel.parameters) {
    const bool number = parameter.kind == AdoptedParameter::Kind::real ||
                        parameter.kind == AdoptedParameter::Kind::flag ||
                        parameter.kind == AdoptedParameter::Kind::fixed;
    if (!number) continue;
    names.push_back(parameter.name);
    if (parameter.name != name) continue;
    char* end = nullptr;
    parameter.value = std::strtod(list.c_str(), &end);
    if (*end != '\0') throw bad_input(fmt::format("--size {}: '{}' is no number", text, list));
    parameter.evidence = "--size";
    parameter.unsaid = false;
    return;
  }
  throw bad_input(fmt::format("--size {}: '{}' has no size '{}'{}; it has: {}", text, kernel.shown_name(), name,
                              did_you_mean(name, names), fmt::join(names, ", ")));
}

Error refusal_of_array(const std::string& text) {
  return bad_input(
      fmt::format("--arg \"{}\" is not of the form NAME[SIZE, SIZE] TYPE, with input, output, inout, zeroed, "
                  ">= NUMBER or < BOUND behind it",
                  text));
}

/// "idx[N, 2] s32 < V", "letters[N] s8 >= 97 < 123", "sum[1] f32 zeroed"
Answers::Array array_answer(const std::string& text) {
  const Tokens tokens = tokens_of(text);
  if (tokens.size() < 2 || !tokens[0].is_word()) throw refusal_of_array(text);
  Answers::Array answer{.text = text, .name = std::string(tokens[0].text)};
  std::size_t at = 1;
  if (tokens[1].is("[")) {
    const std::size_t close = closing(tokens, 1);
    if (close >= tokens.size()) throw refusal_of_array(text);
    answer.shaped = true;
    answer.shape = text.substr(tokens[1].end, tokens[close].begin - tokens[1].end);
    at = close + 1;
  }
  for (; at < tokens.size(); ++at) {
    const std::string word(tokens[at].text);
    const bool last = at + 1 >= tokens.size();
    if (word == "input" || word == "output" || word == "inout") answer.role = word;
    else if (word == "zeroed") answer.zeroed = true;
    else if (const auto dtype = parse_dtype(word)) answer.dtype = dtype;
    else if (word == ">=" && !last && tokens[at + 1].kind == Token::Kind::number)
      answer.from = std::strtoll(std::string(tokens[++at].text).c_str(), nullptr, 0);
    else if (word == "<" && !last) {
      answer.below = text.substr(tokens[at].end);
      break;
    } else throw refusal_of_array(text);
  }
  return answer;
}

}  // namespace

bool Answers::sets(const std::string& parameter) const {
  return std::ranges::find(settings, parameter, &Setting::name) != settings.end();
}

Answers answers_of(const AdoptOptions& options) {
  Answers answers;
  for (const std::string& text : options.settings) {
    const auto [name, expression] = name_and_rest("set", text);
    answers.settings.push_back({text, name, expression});
  }
  for (const std::string& text : options.arguments) answers.arrays.push_back(array_answer(text));
  for (const std::string& text : options.sizes) {
    const auto [name, values] = name_and_rest("size", text);
    answers.sizes.push_back({text, name, values});
  }
  for (const std::string& text : options.tune) {
    const auto [name, list] = name_and_rest("tune", text);
    for (const std::string& value : by_commas(list)) answers.tuned[name].push_back(whole("--tune " + text, value, 0));
  }
  for (const std::string& text : options.types) {
    const auto [name, list] = name_and_rest("type", text);
    Answers::Types& types = answers.types[name];
    types.text = text;
    for (const std::string& word : by_commas(list)) {
      const auto dtype = parse_dtype(word);
      if (!dtype)
        throw bad_input(fmt::format("--type {}: '{}' is no element type such as f32, f16, bf16, s32", text, word));
      types.dtypes.push_back(*dtype);
    }
  }
  return answers;
}

void apply_answers(AdoptedKernel& kernel, const Answers& answers) {
  for (const Answers::Setting& answer : answers.settings) apply_setting(kernel, answer);
  for (const Answers::Array& answer : answers.arrays) apply_array(kernel, answer);
  for (const Answers::Sizes& answer : answers.sizes) apply_size(kernel, answer);
}

}  // namespace harness::adopt
