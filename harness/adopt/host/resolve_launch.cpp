#include "harness/adopt/host/resolve_launch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "harness/adopt/host/branches.h"
#include "harness/adopt/host/deduced_types.h"
#include "harness/adopt/host/host_sizes.h"
#include "harness/adopt/host/local_values.h"
#include "harness/adopt/host/zeroed.h"
#include "harness/adopt/source/element_type.h"
#include "harness/adopt/source/tokens.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

/// Does `name` divide something? Then it is what a block covers: `per` of cdiv(n, per).
bool divides(const Formula& formula, const std::string& name) {
  const bool quotient = formula.kind == Op::cdiv || formula.kind == Op::divide;
  if (quotient && symbols_of(*formula.operands[1]).contains(name)) return true;
  return std::ranges::any_of(formula.operands, [&](const FormulaPtr& extent) { return divides(*extent, name); });
}

/// A number of the host's that divides in the grid is no size of the launch, whatever it is called.
void settle_divisors(const std::map<std::string, double>& numbers, std::vector<FormulaPtr>& grid) {
  for (const auto& [name, value] : numbers)
    if (std::ranges::any_of(grid, [&, &own = name](const FormulaPtr& extent) { return divides(*extent, own); }))
      for (FormulaPtr& extent : grid) extent = with(extent, {{name, number(value)}});
}

/// `(n + 13) / 14`: the first value of a variable of that name in the file that is computed; "": there is none.
std::string value_in_file(const SourceText& file, std::string_view name) {
  const Tokens& tokens = file.tokens;
  for (std::size_t i = 1; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is(name) || !tokens[i + 1].is("=") || tokens[i - 1].is(".") || tokens[i - 1].is("->")) continue;
    std::size_t end = i + 2;
    while (end < tokens.size() && !tokens[end].is(";")) ++end;
    const std::vector<Tokens> parts = split_by_commas(part(tokens, i + 2, end));
    if (parts.empty() || parts.front().empty()) continue;
    const Tokens& value = parts.front();
    const bool read_in = std::ranges::any_of(
        value, [](const Token& token) { return token.is("argv") || token.kind == Token::Kind::literal; });
    if (!read_in && std::ranges::any_of(value, &Token::is_word)) return file.text_of(value);
  }
  return "";
}

/// Reads the three expressions of <<<grid, block, shared>>>.
class Configuration {
 public:
  explicit Configuration(const KernelLaunch& at) : at_(at), where_(at.launch->where) {}

  /// `host_sizes`: see resolve_launch().
  LaunchShape read(Resolver& resolver, bool host_sizes) const {
    const std::vector<Tokens>& configuration = at_.launch->configuration;
    if (configuration.size() < 2 || configuration[0].empty() || configuration[1].empty()) throw refusal("grid", 0);
    LaunchShape shape;
    shape.block = resolver.dimensions(configuration[1]);
    if (configuration.size() > 2 && !configuration[2].empty()) {
      shape.shared = as_type(resolver.read(configuration[2]), "size_t");
      if (!shape.shared || !is_whole(*shape.shared)) throw refusal("shared", 2);
    }
    if (host_sizes) resolver.begin_grid();
    shape.grid = resolver.dimensions(configuration[0]);
    shape.constants = resolver.numbers();
    settle_divisors(shape.constants, shape.grid);
    if (shape.grid.empty() || shape.grid.size() > 3) throw refusal("grid", 0);
    if (const std::string& counted = resolver.counted(); !counted.empty())
      throw bad_input(fmt::format(
          "{}: a loop of the host counts '{}' up, which the grid of {} is made of; give --grid EXPR --block "
          "EXPR in terms of its parameters, as in --grid \"cdiv(n, 16), cdiv(m, 16)\" --block 16,16",
          where_, counted, at_.kernel.name));
    if (shape.block.empty() || shape.block.size() > 3) throw refusal("block", 1);
    shape.from = fmt::format("{}: {}<<<{}, {}>>>", where_, at_.launch->entry, text(0), text(1));
    return shape;
  }

 private:
  std::string text(std::size_t i) const { return at_.launch->file->text_of(at_.launch->configuration[i]); }

  Error refusal(const char* what, std::size_t i) const {
    const std::vector<Tokens>& configuration = at_.launch->configuration;
    return bad_input(fmt::format("{}: the {} '{}' of {} cannot be traced to its parameters; give --{} EXPR", where_,
                                 what, configuration.size() > i && !configuration[i].empty() ? text(i) : "",
                                 at_.kernel.name, what));
  }

  const KernelLaunch& at_;
  std::string where_;
};

/// A launcher that is a template is called with several values, as sizes or types choose: nobody may choose for a
/// person.
Error several_values(const KernelLaunch& at, const TemplateParameter& parameter, const std::vector<Tokens>& values) {
  std::vector<std::string> texts;
  for (const Tokens& value : values) texts.push_back(spelled(value));
  return bad_input(fmt::format(
      "{}: {} is launched with {} = {}, as its host chooses, and a plan has one; give --tune {}={}, of which the "
      "first is the baseline's, or one of them alone",
      at.launch->where, at.kernel.name, parameter.name, fmt::join(texts, " and "), parameter.name,
      fmt::join(texts, ",")));
}

bool is_named_in(const Chunk& chunk, const Tokens& tokens, std::string_view word) {
  return std::ranges::any_of(tokens, [&](const Token& token) {
    return token.begin >= chunk.begin && token.end <= chunk.end && token.is(word);
  });
}

/// What the launch gives a template parameter, without names that only the host's function knows.
std::string template_argument(const KernelLaunch& at, const Resolver& resolver, std::size_t i) {
  const HostLaunch& launch = *at.launch;
  const TemplateParameter& parameter = at.kernel.templates[i];
  Tokens argument = launch.template_tokens[i];
  const bool word = argument.size() == 1 && argument[0].is_word();
  const std::vector<Tokens> values = word ? launch.values_of(argument[0].text) : std::vector<Tokens>();
  if (values.size() > 1 && !parameter.type && !at.tuned.contains(parameter.name))
    throw several_values(at, parameter, values);
  if (values.size() == 1 || (values.size() > 1 && !parameter.type)) argument = values.front();
  else if (const auto value = parameter.type ? std::nullopt : resolver.constant(argument))
    return fmt::format("{}", static_cast<std::int64_t>(*value));
  const bool of_indices = argument.size() == 1 && argument[0].is("index_t") && launch.chunk != nullptr &&
                          is_named_in(*launch.chunk, launch.file->tokens, kDispatchOfIndices);
  const std::string text = of_indices ? "int64_t" : written_out(launch, argument);  // as torch's own indices are
  return parameter.type ? type_without_names(at, text) : text;
}

/// Template parameter -> what the launch gives it, or what it is deduced to be.
std::map<std::string, std::string> template_arguments(const KernelLaunch& at, const Resolver& resolver) {
  std::map<std::string, std::string> arguments;
  for (std::size_t i = 0; i < at.kernel.templates.size(); ++i) {
    const TemplateParameter& parameter = at.kernel.templates[i];
    const bool written = i < at.launch->template_tokens.size();
    const std::string argument = written          ? template_argument(at, resolver, i)
                                 : parameter.type ? deduced_type(at, parameter.name)
                                                  : "";
    if (written || !argument.empty()) arguments[parameter.name] = argument;
  }
  return arguments;
}

/// Of a launcher that is a template over the element type, what it is called with or instantiated for:
/// `template void run<float>(...);`
std::vector<std::string> instantiated_types(const KernelLaunch& at,
                                            const std::map<std::string, std::string>& templates) {
  for (const TemplateParameter& parameter : at.kernel.templates) {
    const auto argument = templates.find(parameter.name);
    if (!parameter.type || argument == templates.end()) continue;
    std::vector<std::string> types;
    for (const Tokens& value : at.launch->values_of(argument->second)) {
      const auto dtype = dtype_of_type(type_without_names(at, type_text(value, 0, value.size())));
      if (!dtype) return {};
      types.emplace_back(name(*dtype));
    }
    if (!types.empty()) return types;
  }
  return {};
}

}  // namespace

LaunchShape resolve_launch(const KernelLaunch& at, bool host_sizes) {
  Resolver of_configuration(at);
  LaunchShape shape = Configuration(at).read(of_configuration, host_sizes);
  const Resolver resolver(at);
  const HostFunction* const function = resolver.function();
  const HostLaunch& launch = *at.launch;
  shape.templates = template_arguments(at, resolver);
  shape.when = reached(at, resolver);
  for (std::size_t i = 0; i < std::min(launch.arguments.size(), at.kernel.parameters.size()); ++i)
    if (const Parameter& parameter = at.kernel.parameters[i]; parameter.pointee.empty())
      if (const auto value = resolver.constant(launch.arguments[i]))
        shape.constants[parameter.name] = parameter.whole ? std::trunc(*value) : *value;
  std::map<std::string, FormulaPtr> of_tensors;
  if (host_sizes) {
    note_what_the_host_computes(at, function, shape);
    of_tensors = note_what_tensors_say(at, shape);
    note_assertions(at, resolver, of_tensors, shape);
  }
  note_allocations(at, resolver, of_tensors, shape);
  if (host_sizes) shape.order = order_of_host(at, function);
  if (shape.order.empty()) shape.order = order_of_tensors(at);
  shape.zeroed = zeroed_arguments(at);
  shape.dispatch = launch.dispatch.empty() && launch.calls != nullptr ? launch.calls->dispatch : launch.dispatch;
  shape.dtypes = dispatched_types(at.source, shape.dispatch);
  if (shape.dispatch.empty()) shape.dtypes = instantiated_types(at, shape.templates);
  return shape;
}

std::map<std::string, std::string> written_by_host(const KernelLaunch& at, const std::vector<FormulaPtr>& grid) {
  const HostLaunch& launch = *at.launch;
  const Declaration& kernel = at.kernel;
  const auto value_of = [&](std::string_view name) {
    std::string value = value_in_file(*launch.file, name);
    for (const auto& file : at.source.files)
      if (value.empty()) value = value_in_file(*file, name);
    return value;
  };
  std::map<std::string, std::string> written;
  const auto letters = [](std::string text) {
    std::erase_if(text, [](unsigned char c) { return std::isalnum(c) == 0; });
    return text;
  };
  const auto note = [&](const std::string& size, const std::string& text) {
    constexpr std::size_t kLongest = 80;  // x.size(0) says no more than x_size_0
    if (!text.empty() && letters(text) != letters(size) && text.size() <= kLongest) written.emplace(size, text);
  };
  for (std::size_t i = 0; i < std::min(launch.arguments.size(), kernel.parameters.size()); ++i) {
    Tokens argument = launch.arguments[i];
    std::erase_if(argument, [](const Token& token) { return token.is("\\"); });
    const Parameter& parameter = kernel.parameters[i];
    if (argument.empty() || !parameter.pointee.empty() || !parameter.whole) continue;
    if (argument.size() > 1) note(parameter.name, launch.file->text_of(argument));
    else if (argument[0].is_word()) note(parameter.name, value_of(argument[0].text));
  }
  for (const FormulaPtr& extent : grid)
    for (const std::string& name : symbols_of(*extent)) note(name, value_of(name));
  return written;
}

std::vector<FormulaPtr> read_dimensions(const std::string& option, const std::string& text, const Declaration& kernel,
                                        const std::set<std::string>& tuned) {
  static const Source none;
  const Resolver resolver({none, nullptr, kernel, tuned});
  std::vector<FormulaPtr> all;
  for (const Tokens& piece : split_by_commas(tokens_of(text))) {
    const FormulaPtr formula = resolver.read(piece);
    if (!formula) throw bad_input(fmt::format("{} '{}' is no expression; write it like cdiv(n, 256), 2", option, text));
    all.push_back(formula);
  }
  const std::size_t most = option == "--arg" ? 8 : 3;
  if (all.empty() || all.size() > most)
    throw bad_input(fmt::format("{} '{}' must have one to {} numbers", option, text, most));
  return all;
}

}  // namespace harness::adopt
