#include "harness/adopt/host/resolver.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "harness/adopt/host/local_values.h"

namespace harness::adopt {
namespace {

/// `cols / 2`, passed for `parameter`: then `cols` is twice the parameter. Nothing: another expression.
FormulaPtr multiple_behind(const Tokens& argument, const std::string& parameter) {
  const bool part_of_one =
      argument.size() == 3 && argument[0].is_word() && argument[1].is("/") && argument[2].kind == Token::Kind::number;
  if (!part_of_one) return nullptr;
  return formula(Op::multiply,
                 {symbol(parameter), number(std::strtod(std::string(argument[2].text).c_str(), nullptr))});
}

/// Is it `=`, `+=`, `++` or the like? `<<=` is two tokens.
bool changes_at(const Tokens& tokens, std::size_t i) {
  static const std::set<std::string_view> kChanges{"=", "+=", "-=", "*=", "/=", "%=", "++", "--", "<<=", ">>="};
  const bool shifts = (tokens[i].is("<<") || tokens[i].is(">>") || tokens[i].is(">")) && i + 1 < tokens.size() &&
                      (tokens[i + 1].is("=") || tokens[i + 1].is(">="));
  return kChanges.contains(tokens[i].text) || shifts;
}

}  // namespace

Resolver::Resolver(const KernelLaunch& at, std::optional<std::size_t> but)
    : at_(at), definitions_(at.source, at.launch) {
  if (at.launch == nullptr) {
    for (const Parameter& parameter : at.kernel.parameters) arguments_[parameter.name] = parameter.name;
    return;
  }
  function_ = at.launch->function.get();
  for (std::size_t i = 0; i < std::min(at.launch->template_tokens.size(), at.kernel.templates.size()); ++i)
    if (const Tokens& written = at.launch->template_tokens[i];
        at.tuned.contains(at.kernel.templates[i].name) && written.size() == 1 && written[0].is_word())
      tuned_names_[std::string(written[0].text)] = at.kernel.templates[i].name;
  for (std::size_t i = 0; i < std::min(at.launch->arguments.size(), at.kernel.parameters.size()); ++i) {
    const Parameter& parameter = at.kernel.parameters[i];
    if (!parameter.pointee.empty() || i == but) continue;
    const std::string& text = at.launch->passed[i];
    if (text.find_first_not_of("0123456789.ef-+") != std::string::npos) arguments_.emplace(text, parameter.name);
    if (const FormulaPtr multiple = multiple_behind(at.launch->arguments[i], parameter.name))
      multiples_.emplace(std::string(at.launch->arguments[i][0].text), multiple);
  }
}

Meaning Resolver::meaning_at(int depth) const {
  Meaning meaning;
  meaning.of = [this, depth](const std::string& text) { return meaning_of(text, depth); };
  meaning.of_call = [this, depth](const std::string& name, const std::vector<FormulaPtr>& arguments) {
    return call(name, arguments, depth);
  };
  return meaning;
}

FormulaPtr Resolver::read(const Tokens& tokens, int depth) const {
  if (depth > kDeepestName) return nullptr;
  const std::string whole = normalized(tokens);
  if (const auto argument = arguments_.find(whole); argument != arguments_.end() && !at_.tuned.contains(whole))
    return symbol(argument->second);
  return read_formula(tokens, meaning_at(depth));
}

std::optional<double> Resolver::constant(const Tokens& tokens) const {
  Resolver alone(at_);  // what is passed for another parameter is no constant's name
  alone.arguments_.clear();
  alone.multiples_.clear();
  const FormulaPtr value = alone.read(tokens);
  if (value && value->kind == Op::number) return value->number;
  return std::nullopt;
}

/// The texts between the commas of dim3(a, b) and {a, b}; else all of it.
std::vector<Tokens> Resolver::parts_of_dimensions(const Tokens& tokens) const {
  std::vector<Tokens> parts;
  if (tokens.size() > 2 && tokens[0].is("dim3") && (tokens[1].is("(") || tokens[1].is("{")))
    parts = split_by_commas(part(tokens, 2, closing(tokens, 1)));
  else if (tokens.size() > 1 && tokens[0].is("{")) parts = split_by_commas(part(tokens, 1, closing(tokens, 0)));
  return parts.empty() ? std::vector<Tokens>{tokens} : parts;
}

std::vector<FormulaPtr> Resolver::dimensions(const Tokens& tokens, int depth) const {
  if (depth > kDeepestName) return {};
  const bool field = tokens.size() == 3 && tokens[1].is(".");  // of a structure: its name alone says no number
  if (const auto value = returned_value(tokens, depth); value && value->numbers.size() > (field ? 0 : 1))
    return value->numbers;
  std::vector<Tokens> parts = parts_of_dimensions(tokens);
  const std::string word = tokens.size() == 1 && tokens[0].is_word() ? std::string(tokens[0].text) : "";
  if (!word.empty() && !at_.tuned.contains(word) && !arguments_.contains(word)) {
    const auto [value, of_dim3, type] = definitions_.of(word);
    if (!of_dim3 && !value.empty() && (value[0].is("dim3") || returned_value(value, depth)))
      return dimensions(value, depth + 1);
    if (!of_dim3 && value.empty() && definitions_.is_open_dim3(word)) return with_members(word, {}, depth);
    if (of_dim3 && !value.empty()) parts = split_by_commas(value);
  }
  std::vector<FormulaPtr> extents;
  for (const Tokens& extent : parts) {
    extents.push_back(as_type(read(extent, depth), "unsigned"));
    if (!extents.back() || !is_whole(*extents.back())) return {};
  }
  return word.empty() ? extents : with_members(word, std::move(extents), depth);
}

/// `grid.x = rows; grid.y = heads;` behind the declaration of a dim3, whose constructor made `extents`; empty where one
/// of them cannot be followed, or it is a dim3 that the function is given.
std::vector<FormulaPtr> Resolver::with_members(const std::string& name, std::vector<FormulaPtr> extents,
                                               int depth) const {
  if (!function_) return extents;
  const Tokens& tokens = function_->tokens();
  const std::size_t place = at_.launch->token;
  std::size_t declared = place;
  while (declared > function_->body().begin && !(tokens[declared].is(name) && definitions_.declares_dim3(declared)))
    --declared;
  if (declared == function_->body().begin) return extents;
  const Tokens statements = part(tokens, declared + 1, place);
  const HostNames names{{}, meaning_at(depth + 1)};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string member = name + "." + "xyz"[axis];
    bool set = false;
    for (std::size_t i = 0; i + 3 < statements.size(); ++i)
      set = set || (statements[i].is(name) && statements[i + 1].is(".") &&
                    statements[i + 2].is(member.substr(name.size() + 1)) && changes_at(statements, i + 3));
    if (!set) continue;
    const FormulaPtr value = as_type(left_in(statements, member, names), "unsigned");
    if (!value || !is_whole(*value)) return {};
    while (extents.size() <= axis) extents.push_back(number(1));
    extents[axis] = value;
  }
  return extents.empty() ? std::vector<FormulaPtr>{number(1)} : extents;
}

FormulaPtr Resolver::meaning_of(const std::string& text, int depth) const {
  if (at_.tuned.contains(text)) return symbol("p." + text);
  if (const auto tuned = tuned_names_.find(text); tuned != tuned_names_.end()) return symbol("p." + tuned->second);
  if (const auto argument = arguments_.find(text); argument != arguments_.end()) return symbol(argument->second);
  if (const auto multiple = multiples_.find(text); multiple != multiples_.end()) return multiple->second;
  if (function_)
    if (const std::vector<Tokens>& values = at_.launch->values_of(text); values.size() == 1)
      return read(values.front(), depth + 1);
  if (text.ends_with(".element_size()")) return symbol("sizeof scalar_t");
  if (text.starts_with("sizeof ")) return size_of(text.substr(7), depth);
  if (const FormulaPtr settled = settled_value(text, depth)) return settled;
  if (definitions_.is_counted_up(text)) {
    if (of_grid_) counted_ = text;
    return symbol(text);
  }
  if (is_chosen(text)) return symbol(text);
  const Definition definition = definitions_.of(text);
  if (!definition.value.empty() && !definition.of_dim3)
    if (const FormulaPtr defined = meaning_of_definition(text, definition, depth)) return defined;
  return axis_of(text, depth);
}

/// A number that the host alone knows (64 rows, 80 blocks) is a symbol of the grid:
/// whether it is a size is seen when the kernel runs.
FormulaPtr Resolver::meaning_of_definition(const std::string& text, const Definition& definition, int depth) const {
  const FormulaPtr formula = as_type(read(definition.value, depth + 1), definition.type);
  if (!formula) return nullptr;
  if (!of_grid_) {
    of_block_.insert(text);
    return formula;
  }
  // A quotient of what only the host knows is a size under its own name.
  if (foreign_symbols(*formula) > 1 || is_part_of_all(*formula)) return symbol(text);
  const bool own_number =
      formula->kind == Op::number && !of_block_.contains(text) && formula->number >= 2 && definitions_.is_local(text);
  if (!own_number) return formula;
  numbers_[text] = formula->number;
  return symbol(text);
}

/// block.x of a variable that holds a dim3.
FormulaPtr Resolver::axis_of(const std::string& text, int depth) const {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos || at_.launch == nullptr) return nullptr;
  const std::string axis = text.substr(dot + 1);
  const std::size_t index = axis == "x" ? 0 : axis == "y" ? 1 : axis == "z" ? 2 : 3;
  if (index > 2 || definitions_.of(text.substr(0, dot)).value.empty()) return nullptr;
  const std::vector<FormulaPtr> extents = dimensions(tokens_of(keep(text.substr(0, dot))), depth + 1);
  if (extents.empty()) return nullptr;
  return index < extents.size() ? extents[index] : number(1);
}

/// sizeof of a name that the host's function or the file gives to another type.
FormulaPtr Resolver::size_of(const std::string& type, int depth) const {
  if (depth > kDeepestName) return nullptr;
  if (type.find("acc_type") != std::string::npos || type.find("opmath") != std::string::npos)
    return formula(Op::max, {number(4), symbol("sizeof scalar_t")});
  std::string other;
  if (at_.launch != nullptr)
    if (const Tokens* const local = at_.launch->local(type)) other = spelled(*local);
  if (other.empty()) other = definitions_.type_behind(type);
  if (other.empty() || other == type) return nullptr;
  if (const FormulaPtr further = size_of(other, depth + 1)) return further;
  return read_formula(tokens_of(keep("sizeof(" + other + ")")), {});
}

/// x.numel() / cols: rows, of which the kernel is told nothing.
bool Resolver::is_part_of_all(const Formula& formula) const {
  return formula.kind == Op::divide && formula.operands[0]->kind == Op::symbol &&
         formula.operands[0]->symbol.ends_with(".numel()") && foreign_symbols(*formula.operands[0]) == 1;
}

/// What a variable of the host's function is after several statements: `if (blocks > 1024) blocks = 1024;`. Nothing:
/// it is set once, or in a way that cannot be followed.
FormulaPtr Resolver::settled_value(const std::string& name, int depth) const {
  if (!function_ || depth > kDeepestName) return nullptr;
  const std::size_t place = at_.launch->token;
  const auto settings = function_->settings_of(name, place);
  if (settings.size() < 2 || !settings.back().declaration) return nullptr;
  HostNames names{{}, meaning_at(depth + 1)};
  names.outside.of = [&](const std::string& text) { return text == name ? nullptr : meaning_of(text, depth + 1); };
  const FormulaPtr value = left_in(part(function_->tokens(), settings.back().statement.begin, place), name, names);
  return value && is_of_sizes(*value, *function_) ? value : nullptr;
}

/// Is it given a value under a condition or in a loop that the launch does not stand under? Then what was written last
/// is not what the launch gets in every call.
bool Resolver::is_chosen(const std::string& name) const {
  if (!function_) return false;
  const std::size_t place = at_.launch->token;
  return std::ranges::any_of(function_->settings_of(name, place), [&](const HostFunction::Setting& setting) {
    return function_->may_be_skipped(setting.at, place);
  });
}

/// No condition on what is no size: the type of a tensor, what a device can do.
bool Resolver::is_of_sizes(const Formula& formula, const HostFunction& function) const {
  return std::ranges::all_of(symbols_of(formula), [&](const std::string& name) {
    if (name.starts_with("p.") || name.starts_with("sizeof ")) return true;
    if (name.find(".size(") != std::string::npos || name.ends_with(".numel()")) return true;
    return function.parameter(name) != nullptr ||
           std::ranges::find(at_.kernel.parameters, name, &Parameter::name) != at_.kernel.parameters.end();
  });
}

std::size_t Resolver::foreign_symbols(const Formula& formula) const {
  const std::set<std::string> symbols = symbols_of(formula);
  return static_cast<std::size_t>(std::ranges::count_if(symbols, [&](const std::string& name) {
    return !name.starts_with("p.") && !name.starts_with("sizeof ") &&
           std::ranges::find(at_.kernel.parameters, name, &Parameter::name) == at_.kernel.parameters.end();
  }));
}

/// What `f(a, b)` or a field of it returns; nothing: it is no call, or its function does more than compute.
std::optional<HostValue> Resolver::returned_value(const Tokens& tokens, int depth) const {
  if (tokens.size() == 3 && tokens[0].is_word() && tokens[1].is(".") && tokens[2].is_word() && depth < kDeepestName) {
    const Tokens called = definitions_.of(tokens[0].text).value;
    const auto whole = called.empty() ? std::nullopt : returned_value(called, depth + 1);
    const auto field = whole ? definitions_.field_of(called, tokens[2].text) : std::nullopt;
    return field && *field < whole->fields.size() ? std::optional(whole->fields[*field]) : std::nullopt;
  }
  std::size_t open = 0;
  while (open < tokens.size() && (tokens[open].is_word() || tokens[open].is("::"))) ++open;
  if (open == 0 || open >= tokens.size() || !tokens[open].is("(") || closing(tokens, open) + 1 != tokens.size() ||
      !tokens[open - 1].is_word())
    return std::nullopt;
  std::vector<FormulaPtr> arguments;
  for (const Tokens& argument : split_by_commas(part(tokens, open + 1, tokens.size() - 1))) {
    arguments.push_back(read(argument, depth + 1));
    if (!arguments.back()) return std::nullopt;
  }
  return returned_by_call(std::string(tokens[open - 1].text), arguments, depth);
}

std::optional<HostValue> Resolver::returned_by_call(std::string_view name, const std::vector<FormulaPtr>& arguments,
                                                    int depth) const {
  const auto function = depth > kDeepestName ? std::nullopt : definitions_.function_named(name);
  if (!function) return std::nullopt;
  HostNames names{{}, meaning_at(depth + 1)};
  for (std::size_t i = 0; i < function->parameters.size(); ++i) {
    const Tokens& parameter = function->parameters[i];
    const auto value = std::ranges::find_if(parameter, [](const Token& token) { return token.is("="); });
    if (parameter.empty() || value == parameter.begin()) continue;
    const FormulaPtr given = i < arguments.size()       ? arguments[i]
                             : value != parameter.end() ? read({std::next(value), parameter.end()}, depth + 1)
                                                        : nullptr;
    if (!given) return std::nullopt;
    names.parameters[std::string(std::prev(value)->text)] = given;
  }
  return returned_by(function->body, names);
}

/// f(a, b) where f is a function that only computes, a lambda that returns an expression or a macro with arguments.
FormulaPtr Resolver::call(const std::string& name, const std::vector<FormulaPtr>& arguments, int depth) const {
  if (depth > kDeepestName) return nullptr;
  if (const Tokens value = definitions_.of(name).value; !value.empty() && value[0].is("["))
    return call_of_lambda(value, arguments, depth);
  if (const auto value = returned_by_call(name, arguments, depth); value && value->numbers.size() == 1)
    return value->numbers[0];
  const auto macro = definitions_.macro_named(name);
  return macro ? applied(macro->parameters, macro->body, arguments, depth) : nullptr;
}

/// `[](int a, int b) { return a / b; }`
FormulaPtr Resolver::call_of_lambda(const Tokens& lambda, const std::vector<FormulaPtr>& arguments, int depth) const {
  const std::size_t open = closing(lambda, 0) + 1;
  if (open >= lambda.size() || !lambda[open].is("(")) return nullptr;
  const std::size_t close = closing(lambda, open);
  std::size_t brace = close;
  while (brace < lambda.size() && !lambda[brace].is("{")) ++brace;
  if (brace + 2 >= lambda.size() || !lambda[brace + 1].is("return")) return nullptr;
  return applied(split_by_commas(part(lambda, open + 1, close)), part(lambda, brace + 2, closing(lambda, brace) - 1),
                 arguments, depth);
}

FormulaPtr Resolver::applied(const std::vector<Tokens>& parameters, const Tokens& body,
                             const std::vector<FormulaPtr>& arguments, int depth) const {
  if (parameters.size() != arguments.size()) return nullptr;
  std::map<std::string, FormulaPtr> values;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    if (!parameters[i].empty()) values[std::string(parameters[i].back().text)] = arguments[i];
  Meaning inner = meaning_at(depth + 1);
  inner.of = [&](const std::string& text) {
    const auto value = values.find(text);
    return value == values.end() ? meaning_of(text, depth + 1) : value->second;
  };
  return read_formula(body, inner);
}

const std::string& Resolver::keep(std::string text) const {
  texts_.push_back(std::make_unique<std::string>(std::move(text)));
  return *texts_.back();
}

FormulaPtr argument_of_others(const KernelLaunch& at, std::size_t argument) {
  return Resolver(at, argument).read(at.launch->arguments[argument]);
}

}  // namespace harness::adopt
