#include "harness/adopt/kernel/tuned.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <optional>
#include <set>

#include "harness/adopt/host/value_places.h"
#include "harness/adopt/source/option_text.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"

namespace harness::adopt {

namespace {

std::set<std::string> symbols_in(const LaunchShape& launch) {
  std::set<std::string> symbols = symbols_of(*launch.shared);
  for (const auto* list : {&launch.grid, &launch.block})
    for (const FormulaPtr& extent : *list) symbols.merge(symbols_of(*extent));
  return symbols;
}

}  // namespace

void bind_tuned(AdoptedKernel& kernel, const Source& source) {
  std::set<std::string> in_launch;
  for (const LaunchShape* launch : kernel.launches()) in_launch.merge(symbols_in(*launch));
  for (const auto& [name, values] : kernel.tuned) {
    std::vector<std::string> names{"block"};
    for (const TemplateParameter& parameter : kernel.declaration.templates) {
      names.push_back(parameter.name);
      if (parameter.name == name && !parameter.type) kernel.bound[name] = "template";
    }
    for (const Declaration& declaration : source.parsed.declarations) {
      if (declaration.kind != Declaration::Kind::macro && declaration.kind != Declaration::Kind::variable) continue;
      names.push_back(declaration.name);
      if (declaration.name == name && !kernel.bound.contains(name)) kernel.bound[name] = "define";
    }
    if (!kernel.bound.contains(name) && in_launch.contains("p." + name)) kernel.bound[name] = "launch";
    if (name == "block" && !kernel.bound.contains(name) && kernel.further.empty()) kernel.bound[name] = "launch";
    if (!kernel.bound.contains(name))
      throw bad_input(
          fmt::format("--tune {}: '{}' is no macro, constant or template argument of {}, and no variable of its "
                      "launch{}",
                      name, name, source.main().name, did_you_mean(name, names)));
  }
}

namespace {

std::optional<std::int64_t> whole_number(const FormulaPtr& formula) {
  if (formula->kind != Op::number) return std::nullopt;
  return static_cast<std::int64_t>(formula->number);
}

/// The multiple of `own` that a number is, as that multiple of what takes its place; nothing: it is none.
FormulaPtr multiple_of(const FormulaPtr& old, std::int64_t own, const FormulaPtr& now) {
  const auto value = whole_number(old);
  if (!value || *value < own || *value % own != 0) return nullptr;
  return *value == own ? now : formula(Op::multiply, {number(static_cast<double>(*value / own)), now});
}

/// Elements for each block: divisors that are multiples of its threads follow them.
FormulaPtr with_divisors(const FormulaPtr& formula, std::int64_t own, const FormulaPtr& now) {
  if (formula->operands.empty()) return formula;
  const bool divides = formula->kind == Op::cdiv || formula->kind == Op::divide || formula->kind == Op::round_up ||
                       formula->kind == Op::modulo;
  auto result = std::make_shared<Formula>(*formula);
  for (std::size_t i = 0; i < result->operands.size(); ++i) {
    const FormulaPtr follows = divides && i == 1 ? multiple_of(result->operands[i], own, now) : nullptr;
    result->operands[i] = follows ? follows : with_divisors(result->operands[i], own, now);
  }
  return result;
}

/// A launch in which the block's number of threads is `now` instead of `own`, and what was computed from it.
void give_block(LaunchShape& launch, std::int64_t own, const FormulaPtr& now) {
  for (FormulaPtr& extent : launch.block)
    if (whole_number(extent) == own) extent = now;
  for (FormulaPtr& extent : launch.grid) extent = with_divisors(extent, own, now);
  // Is it an array of the block's threads? It may be one of another length, so it never becomes less.
  if (const FormulaPtr follows = multiple_of(launch.shared, own, now))
    launch.shared = formula(Op::max, {launch.shared, follows});
}

/// Does one divisor of the grid hold several elements for each thread? The kernel may count on their number.
bool has_multiple(const LaunchShape& launch, std::int64_t own) {
  const std::function<bool(const FormulaPtr&)> has = [&](const FormulaPtr& extent) {
    if (const auto value = whole_number(extent)) return *value > own && *value % own == 0;
    return std::ranges::any_of(extent->operands, has);
  };
  return std::ranges::any_of(launch.grid, has);
}

bool has_extent(const LaunchShape& launch, std::int64_t threads) {
  return std::ranges::any_of(launch.block, [&](const FormulaPtr& extent) { return whole_number(extent) == threads; });
}

/// The threads of a block of one dimension, where they are a number.
std::optional<std::int64_t> threads_of(const LaunchShape& launch) {
  for (std::size_t i = 1; i < launch.block.size(); ++i)
    if (whole_number(launch.block[i]) != 1) return std::nullopt;
  return launch.block.empty() ? std::nullopt : whole_number(launch.block[0]);
}

}  // namespace

void begin_with_the_originals(AdoptedKernel& kernel, const Source& source, const HostLaunch* launch, bool block_said) {
  const Declaration* const alone = kernel.further.empty() ? &kernel.declaration : nullptr;
  for (auto& [name, values] : kernel.tuned) {
    const bool is_block =
        name == "block" && kernel.bound[name] == "launch" && !symbols_in(kernel.launch).contains("p.block");
    const std::optional<std::int64_t> own = is_block ? threads_of(kernel.launch)
                                            : launch ? value_at(value_places(source, alone, {*launch}, name))
                                                     : std::nullopt;
    if (is_block && !own && kernel.launch.block.size() > 1)
      throw bad_input(
          fmt::format("--tune {}: its block has several extents; tune what they are made of, or give --grid "
                      "and --block in terms of names that --tune gives values",
                      name));
    if (own) {
      std::erase(values, *own);
      values.insert(values.begin(), *own);
    }
    if (is_block && !own) kernel.launch.block = {symbol("p.block")};
    const bool may_follow = is_block || (!block_said && !symbols_in(kernel.launch).contains("p." + name));
    if (own && alone != nullptr && may_follow && has_extent(kernel.launch, *own)) {
      if (has_multiple(kernel.launch, *own)) kernel.written_grid = kernel.launch.grid;
      give_block(kernel.launch, *own, symbol("p." + name));
      kernel.launch.from += fmt::format("; its {} threads are {} now", *own, name);
    }
  }
}

namespace {

/// "int block_sizes[] = {32, 64, 128};" of a host that tries several; else the usual ones.
std::vector<std::int64_t> usual_blocks(const Source& source, const std::string& name) {
  std::vector<std::int64_t> values;
  for (const auto& file : source.files)
    for (std::size_t i = 0; i + 4 < file->tokens.size() && values.empty(); ++i) {
      const std::vector<Token>& tokens = file->tokens;
      const bool list = tokens[i].is_word() && tokens[i].text.starts_with(name) && tokens[i + 1].is("[");
      const std::size_t equals = list ? closing(tokens, i + 1) + 1 : tokens.size();
      if (equals + 1 >= tokens.size() || !tokens[equals].is("=") || !tokens[equals + 1].is("{")) continue;
      for (std::size_t k = equals + 2; k < closing(tokens, equals + 1); ++k)
        if (tokens[k].kind == Token::Kind::number)
          values.push_back(std::strtoll(std::string(tokens[k].text).c_str(), nullptr, 0));
    }
  std::erase_if(values, [](std::int64_t value) { return value < 1 || value > 1024; });
  if (values.empty()) values = {256, 128, 512};
  const auto common = std::find(values.begin(), values.end(), 256);
  if (common != values.end()) std::rotate(values.begin(), common, common + 1);
  return values;
}

/// Edges of a block of two dimensions: the one that the launch passes as a template argument, else the usual ones.
std::vector<std::int64_t> tiles_of_launch(const AdoptedKernel& kernel) {
  for (const TemplateParameter& parameter : kernel.declaration.templates)
    if (const auto argument = kernel.launch.templates.find(parameter.name);
        !parameter.type && argument != kernel.launch.templates.end())
      if (const std::int64_t value = std::atoll(argument->second.c_str()); value >= 2 && value <= 32) return {value};
  return {16, 32, 8};
}

}  // namespace

bool tune_blocks(AdoptedKernel& kernel, const Declared& declared, const HostLaunch* first) {
  const HostFunction* const function = first == nullptr ? nullptr : first->function.get();
  std::set<std::string> symbols;
  for (const LaunchShape* launch : kernel.launches())
    for (const FormulaPtr& extent : launch->block) symbols.merge(symbols_of(*extent));
  bool added = false;
  for (const std::string& text : symbols) {
    const bool explained = text.starts_with("p.") || text.starts_with("sizeof ") ||
                           std::any_of(kernel.declaration.parameters.begin(), kernel.declaration.parameters.end(),
                                       [&](const Parameter& parameter) { return parameter.name == text; });
    const bool name =
        std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    if (explained || !name) continue;
    if (function != nullptr && first->values_of(text).empty() &&
        std::ranges::find(function->templates(), text) != function->templates().end())
      throw bad_input(
          fmt::format("{}: '{}' is a template parameter of {}, and no file that was read calls that with a value; give "
                      "--tune {}=VALUE, or several, of which the first is the baseline's",
                      kernel.launch.from, text, function->name(), text));
    if (function != nullptr && function->parameter(text) == nullptr && is_in_capitals(text) &&
        first->values_of(text).empty())
      throw undefined_macro(kernel.launch.from, text);
    if (function != nullptr && function->parameter(text) == nullptr)
      throw bad_input(fmt::format(
          "{}: '{}' of its block cannot be traced to what the function is given; give --block EXPR, or --tune {}=V,V",
          kernel.launch.from, text, text));
    const auto dimensions = std::count_if(kernel.launch.block.begin(), kernel.launch.block.end(),
                                          [&](const FormulaPtr& extent) { return symbols_of(*extent).contains(text); });
    const bool alone = std::ranges::any_of(kernel.launch.block, [&](const FormulaPtr& extent) {
      return extent->kind == Op::symbol && extent->symbol == text;
    });
    const std::vector<std::string>& of_block = declared.options.sizes_of_block;
    const std::vector<Answers::Sizes>& sizes = declared.answers.sizes;
    const bool size = std::ranges::find(of_block, text) != of_block.end() ||
                      std::ranges::find(sizes, text, &Answers::Sizes::name) != sizes.end();
    if (!alone || size) continue;  // k / 4 threads for k columns: a size
    kernel.guessed_blocks.insert(text);
    kernel.tuned[text] = dimensions > 1 ? tiles_of_launch(kernel) : usual_blocks(declared.source, text);
    added = true;
  }
  return added;
}

void refuse_open_templates(const AdoptedKernel& kernel, const Source& source) {
  const Source::Place place = source.places[kernel.index];
  const std::string head(place.chunk == nullptr ? std::string_view{} : place.file->head_of(*place.chunk));
  for (const TemplateParameter& parameter : kernel.declaration.templates) {
    const auto launched = kernel.launch.templates.find(parameter.name);
    const bool has_value = parameter.type || kernel.bound.contains(parameter.name) ||
                           (launched != kernel.launch.templates.end() && !launched->second.empty()) ||
                           head.find(parameter.name + " =") != std::string::npos ||
                           head.find(parameter.name + "=") != std::string::npos;
    if (!has_value)
      throw bad_input(
          fmt::format("{}: '{}' is a template on {} {}, and no launch in the file says its value; give --tune {}={}",
                      shown_file(kernel.declaration.file), kernel.declaration.name, parameter.written, parameter.name,
                      parameter.name, parameter.written == "bool" ? "1,0" : "64,128"));
  }
}

}  // namespace harness::adopt
