#include "harness/adopt/kernel/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "harness/adopt/host/resolve_launch.h"
#include "harness/adopt/source/option_text.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"

namespace harness::adopt {
namespace {

AdoptedParameter& pointer_named(AdoptedKernel& kernel, const std::string& name, const std::string& text) {
  std::vector<std::string> names;
  for (AdoptedParameter& parameter : kernel.parameters) {
    if (!is_array(parameter)) continue;
    if (parameter.name == name) return parameter;
    names.push_back(parameter.name);
  }
  throw bad_input(fmt::format("--arg \"{}\": '{}' is no pointer of '{}'{}; they are: {}", text, name,
                              kernel.shown_name(), did_you_mean(name, names), fmt::join(names, ", ")));
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

Error refusal_of_argument(const std::string& text) {
  return bad_input(
      fmt::format("--arg \"{}\" is not of the form NAME[SIZE, SIZE] TYPE, with input, output, inout, zeroed, "
                  ">= NUMBER or < BOUND behind it",
                  text));
}

void set_dtype(AdoptedParameter& parameter, Dtype dtype, const std::string& text) {
  if (storage_bytes(dtype) != storage_bytes(parameter.dtype))
    throw bad_input(
        fmt::format("--arg \"{}\": the signature says that '{}' is {}", text, parameter.name, name(parameter.dtype)));
  parameter.dtype = dtype;
}

/// What stands behind the name and the shape, from token `at` on.
void apply_words(AdoptedParameter& parameter, const Tokens& tokens, std::size_t at, const std::string& text,
                 const Declaration& kernel) {
  for (; at < tokens.size(); ++at) {
    const std::string word(tokens[at].text);
    const bool last = at + 1 >= tokens.size();
    if (word == "input" || word == "output" || word == "inout") parameter.role = word;
    else if (word == "zeroed") parameter.zeroed = true;
    else if (const auto dtype = parse_dtype(word)) set_dtype(parameter, *dtype, text);
    else if (word == ">=" && !last && tokens[at + 1].kind == Token::Kind::number)
      parameter.from = std::strtoll(std::string(tokens[++at].text).c_str(), nullptr, 0);
    else if (word == "<" && !last) {
      parameter.below = read_dimensions("--arg", text.substr(tokens[at].end), kernel, {}).front();
      return;
    } else throw refusal_of_argument(text);
  }
}

/// "idx[N, 2] s32 < V", "letters[N] s8 >= 97 < 123", "sum[1] f32 zeroed"
void apply_argument(AdoptedKernel& kernel, const std::string& text) {
  const Tokens tokens = tokens_of(text);
  if (tokens.size() < 2 || !tokens[0].is_word()) throw refusal_of_argument(text);
  AdoptedParameter& parameter = pointer_named(kernel, std::string(tokens[0].text), text);
  std::size_t behind = 1;
  if (tokens[1].is("[")) {
    const std::size_t close = closing(tokens, 1);
    if (close >= tokens.size()) throw refusal_of_argument(text);
    parameter.shape = read_dimensions("--arg", text.substr(tokens[1].end, tokens[close].begin - tokens[1].end),
                                      kernel.declaration, {});
    parameter.answered = true;
    parameter.evidence = "--arg";
    behind = close + 1;
  }
  apply_words(parameter, tokens, behind, text, kernel.declaration);
  for (FormulaPtr& extent : parameter.shape) extent = with(extent, derived_of(kernel));
  for (const FormulaPtr& extent : parameter.shape) add_symbols(kernel, *extent, "--arg");
}

/// "eps=1e-6" of a floating-point number, "causal=1" or "causal=true" of a flag.
void set_real(AdoptedParameter& parameter, const std::string& text, const std::string& answer) {
  const std::string value = answer == "true" ? "1" : answer == "false" ? "0" : answer;
  char* end = nullptr;
  parameter.value = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0') throw bad_input(fmt::format("--set {}: '{}' is no number", text, value));
  parameter.unsaid = false;
  parameter.evidence = "--set";
}

/// "act=3" is the same in every call; "C=D+2*D*deg" follows from what else the kernel is passed.
void apply_setting(AdoptedKernel& kernel, const std::string& text) {
  const auto [name, expression] = name_and_rest("set", text);
  std::vector<std::string> names;
  const auto read = [&, &own = name, &right = expression] {
    const std::vector<FormulaPtr> all = read_dimensions("--set", right, kernel.declaration, {});
    std::map<std::string, FormulaPtr> replaced = derived_of(kernel);
    replaced.erase(own);
    for (const AdoptedParameter& parameter : kernel.parameters)
      if (parameter.kind == Param::fixed && parameter.name != own) replaced[parameter.name] = number(parameter.value);
    const FormulaPtr follows = with(all.front(), replaced);
    if (all.size() != 1 || symbols_of(*follows).contains(own))
      throw bad_input(fmt::format("--set {}: say one number, or how '{}' follows from other sizes", text, own));
    return follows;
  };
  for (AdoptedParameter& parameter : kernel.parameters) {
    const bool number = parameter.kind == Param::real || parameter.kind == Param::flag;
    if (number && parameter.name == name) return set_real(parameter, text, expression);
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
  throw bad_input(fmt::format("--set {}: '{}' has no whole number '{}'{}; it has: {}", text, kernel.shown_name(), name,
                              did_you_mean(name, names), fmt::join(names, ", ")));
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

void apply_size(AdoptedKernel& kernel, const std::string& text) {
  const auto [name, list] = name_and_rest("size", text);
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

}  // namespace

void apply_answers(AdoptedKernel& kernel, const AdoptOptions& options) {
  for (const std::string& text : options.settings) apply_setting(kernel, text);
  for (const std::string& text : options.arguments) apply_argument(kernel, text);
  for (const std::string& text : options.sizes) apply_size(kernel, text);
}

}  // namespace harness::adopt
