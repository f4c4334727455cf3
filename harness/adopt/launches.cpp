#include "harness/adopt/launches.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "harness/adopt/host_body.h"
#include "harness/adopt/host_function.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

/// Where the template arguments end that begin at a `<` behind a word: at a `>` that a call or a scope follows, as in
/// x.data<float, 2>(). `at` itself where it is a comparison.
std::size_t end_of_angles(const Tokens& tokens, std::size_t at) {
  if (at == 0 || !tokens[at].is("<") || !tokens[at - 1].is_word()) return at;
  int depth = 0;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is(";") || token.is("{") || token.is("&&") || token.is("||") || token.is(")")) return at;
    if (token.is("(")) i = std::min(closing(tokens, i), tokens.size() - 1);
    if (token.is("<")) ++depth;
    if (token.is(">") && --depth == 0) {
      const bool called = i + 1 < tokens.size() && (tokens[i + 1].is("(") || tokens[i + 1].is("::"));
      return called ? i : at;
    }
  }
  return at;
}

/// Where the template parameters or arguments end that begin at a `<`.
std::size_t end_of_template(const Tokens& tokens, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    if (tokens[i].is("<")) ++depth;
    if (tokens[i].is(">") && --depth == 0) return i;
  }
  return at + 1;
}

/// By commas outside of brackets; `angles`: template arguments, where < and > are brackets too.
std::vector<Tokens> split(const Tokens& tokens, bool angles = false) {
  std::vector<Tokens> parts;
  int depth = 0;
  std::size_t within = 0;  // template arguments of an expression go on to here
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (!angles && i >= within) within = end_of_angles(tokens, i);
    if (token.is("(") || token.is("[") || token.is("{") || (angles && token.is("<"))) ++depth;
    if (token.is(")") || token.is("]") || token.is("}") || (angles && token.is(">"))) --depth;
    if (parts.empty()) parts.emplace_back();
    if (token.is(",") && depth == 0 && i >= within) parts.emplace_back();
    else parts.back().push_back(token);
  }
  return parts;
}

std::string joined(const Tokens& tokens) {
  std::string text;
  for (const Token& token : tokens) text += token.text;
  return text;
}

const Chunk* chunk_at(const SourceText& file, std::size_t place) {
  for (const Chunk& chunk : file.chunks)
    if (chunk.begin <= place && place < chunk.end) return &chunk;
  return nullptr;
}

/// "AT_DISPATCH_FLOATING_TYPES_AND_HALF ( x . scalar_type ( ) ..." around a token; "" where there is none.
std::string dispatch_around(const Tokens& tokens, std::size_t at) {
  for (std::size_t i = at; i-- > 0;) {
    if (!tokens[i].is_word()) continue;
    const bool dispatch =
        tokens[i].text.find("DISPATCH_") != std::string_view::npos && i + 1 < tokens.size() && tokens[i + 1].is("(");
    if (!dispatch || closing(tokens, i + 1) < at) continue;
    std::string text;
    for (std::size_t k = i; k < at && !tokens[k].is("["); ++k) text += tokens[k].text;
    return text;
  }
  return "";
}

void read_launch(const SourceText& file, std::size_t open, std::vector<FoundLaunch>& all) {
  const Tokens& tokens = file.tokens;
  FoundLaunch found;
  found.file = &file;
  found.place = tokens[open].begin;
  found.chunk = chunk_at(file, found.place);
  if (open == 0) return;
  std::size_t name = open - 1;
  if (tokens[name].is(">")) {
    int depth = 0;
    std::size_t from = name;
    for (;; --from) {
      if (tokens[from].is(">")) ++depth;
      if (tokens[from].is("<") && --depth == 0) break;
      if (from == 0) return;
    }
    for (const Tokens& argument : split(part(tokens, from + 1, name), true)) {
      found.templates.push_back(joined(argument));
      found.template_tokens.push_back(argument);
    }
    if (from == 0) return;
    name = from - 1;
  }
  if (!tokens[name].is_word()) return;
  found.entry = tokens[name].text;
  std::size_t close = open + 1;
  for (int depth = 0; close < tokens.size() && !(depth == 0 && tokens[close].is(">>>")); ++close) {
    if (tokens[close].is("(") || tokens[close].is("{")) ++depth;
    if (tokens[close].is(")") || tokens[close].is("}")) --depth;
  }
  if (close + 1 >= tokens.size() || !tokens[close + 1].is("(")) return;
  found.configuration = split(part(tokens, open + 1, close));
  found.arguments = split(part(tokens, close + 2, closing(tokens, close + 1)));
  found.dispatch = dispatch_around(tokens, open);
  all.push_back(std::move(found));
}

constexpr int kDeepest = 12;

/// Is the word at `i` one of several that a statement declares: F of `const int N = a, F = b;`?
bool declared_behind_comma(const Tokens& tokens, std::size_t i) {
  if (i == 0 || !tokens[i - 1].is(",")) return false;
  std::size_t first = i;
  int depth = 0;
  for (; first > 0 && !tokens[first - 1].is(";"); --first) {
    const Token& token = tokens[first - 1];
    if (token.is(")") || token.is("]") || token.is("}")) ++depth;
    if ((token.is("(") || token.is("[") || token.is("{")) && --depth < 0) break;
  }
  return depth <= 0 && first + 2 < i && tokens[first].is_word() && tokens[first + 1].is_word() &&
         (first == 0 || !tokens[first - 1].is("(")) && !tokens[first].is("return");
}

/// What `using name = ...;`, `typedef ... name;` or `const int name = ...;` of the host's function says, right before
/// the launch; nothing: its function has no such name.
std::optional<Tokens> local_meaning(const FoundLaunch& found, std::string_view name) {
  if (found.chunk == nullptr) return std::nullopt;
  const Tokens& tokens = found.file->tokens;
  for (std::size_t i = tokens.size(); i-- > 2;) {
    if (tokens[i].begin >= found.place || !tokens[i].is(name)) continue;
    if (tokens[i].begin < found.chunk->begin) break;
    std::size_t end = i;
    while (end < tokens.size() && !tokens[end].is(";")) ++end;
    if (i + 1 < end && tokens[i + 1].is("=") && (tokens[i - 1].is_word() || declared_behind_comma(tokens, i))) {
      const Tokens value = part(tokens, i + 2, end);
      return tokens[i - 1].is("using") || value.empty() ? value : split(value).front();
    }
    std::size_t first = i;
    while (first > 0 && !tokens[first - 1].is(";") && !tokens[first - 1].is("{") && !tokens[first - 1].is("}")) --first;
    if (end == i + 1 && tokens[first].is("typedef")) return part(tokens, first + 1, i);
  }
  return std::nullopt;
}

/// {a, b} of `P p{a, b};`, as local_meaning() of `P p = {a, b};`.
std::optional<Tokens> braces_of_local(const FoundLaunch& found, std::string_view name) {
  if (found.chunk == nullptr) return std::nullopt;
  const Tokens& tokens = found.file->tokens;
  for (std::size_t i = tokens.size() - 1; i-- > 1;) {
    if (tokens[i].begin >= found.place || !tokens[i].is(name)) continue;
    if (tokens[i].begin < found.chunk->begin) break;
    if (tokens[i - 1].is_word() && tokens[i + 1].is("{")) return part(tokens, i + 1, closing(tokens, i + 1) + 1);
  }
  return std::nullopt;
}

/// A template argument without names that only the host's function knows.
std::string written_out(const FoundLaunch& found, const Tokens& tokens, int depth = 0) {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool free = tokens[i].is_word() && (i == 0 || !(tokens[i - 1].is("::") || tokens[i - 1].is(".")));
    const auto meaning = free && depth < kDeepest ? local_meaning(found, tokens[i].text) : std::nullopt;
    const std::string one = meaning ? written_out(found, *meaning, depth + 1) : std::string(tokens[i].text);
    const bool apart = !text.empty() && (std::isalnum(static_cast<unsigned char>(text.back())) || text.back() == '_') &&
                       !one.empty() && (std::isalnum(static_cast<unsigned char>(one.front())) || one.front() == '_');
    text += (apart ? " " : "") +
            (meaning && tokens.size() > 1 && meaning->size() > 1 && !meaning->back().is(">") ? "(" + one + ")" : one);
  }
  return text;
}

/// float of `run<float, 4>(...)`: what a template parameter of the host's function is where that is first called or
/// instantiated. Nothing: it is none, or nobody says.
std::optional<Tokens> value_of_host_template(const Source& source, const FoundLaunch& found, std::string_view name) {
  const auto function = HostFunction::around(found);
  if (!function) return std::nullopt;
  const Tokens& own = function->tokens();
  const std::size_t head = function->token_at(function->chunk().begin);
  if (head + 1 >= own.size() || !own[head].is("template") || !own[head + 1].is("<")) return std::nullopt;
  const std::vector<Tokens> parameters = split(part(own, head + 2, end_of_template(own, head + 1)), true);
  const auto named = std::ranges::find_if(parameters, [&](const Tokens& each) {
    const auto value = std::ranges::find_if(each, [](const Token& token) { return token.is("="); });
    return value != each.begin() && std::prev(value)->is(name);
  });
  if (named == parameters.end()) return std::nullopt;
  for (const auto& file : source.files)
    for (std::size_t i = 0; i + 2 < file->tokens.size(); ++i) {
      const Tokens& tokens = file->tokens;
      if (!tokens[i].is(function->name()) || !tokens[i + 1].is("<")) continue;
      const std::size_t close = end_of_template(tokens, i + 1);
      const std::vector<Tokens> arguments = split(part(tokens, i + 2, close), true);
      const auto which = static_cast<std::size_t>(named - parameters.begin());
      if (which < arguments.size() && close + 1 < tokens.size() && tokens[close + 1].is("(")) return arguments[which];
    }
  return std::nullopt;
}

/// The dispatch around the call of a launcher that is a template: `run<scalar_t>(...)` in AT_DISPATCH_...; "": none.
std::string dispatch_of_caller(const Source& source, const FoundLaunch& found) {
  const auto function = HostFunction::around(found);
  if (!function) return "";
  for (const auto& file : source.files)
    for (std::size_t i = 0; i + 1 < file->tokens.size(); ++i)
      if (file->tokens[i].is(function->name()) && file->tokens[i + 1].is("<"))
        if (std::string text = dispatch_around(file->tokens, i); !text.empty()) return text;
  return "";
}

/// What words mean at a launch.
class Resolver {
 public:
  Resolver(const Source& source, const FoundLaunch* found, const Declaration& kernel,
           const std::set<std::string>& tuned)
      : source_(source), found_(found), kernel_(kernel), tuned_(tuned) {
    if (found == nullptr) {
      for (const Parameter& parameter : kernel.parameters) arguments_[parameter.name] = parameter.name;
      return;
    }
    for (std::size_t i = 0; i < std::min(found->arguments.size(), kernel.parameters.size()); ++i)
      if (kernel.parameters[i].pointee.empty())
        if (const std::string text = normalized(found->arguments[i]);
            !text.empty() && text.find_first_not_of("0123456789.ef-+") != std::string::npos)
          arguments_.emplace(text, kernel.parameters[i].name);
    for (std::size_t i = 0; i < std::min(found->arguments.size(), kernel.parameters.size()); ++i)
      if (const Tokens& each = found->arguments[i]; kernel.parameters[i].pointee.empty() && each.size() == 3 &&
                                                    each[0].is_word() && each[1].is("/") &&
                                                    each[2].kind == Token::Kind::number)
        multiples_.emplace(
            std::string(each[0].text),
            formula(Formula::Kind::multiply, {symbol(kernel.parameters[i].name),
                                              number(std::strtod(std::string(each[2].text).c_str(), nullptr))}));
  }

  FormulaPtr read(const Tokens& tokens, int depth = 0) const {
    if (depth > kDeepest) return nullptr;
    Meaning meaning;
    meaning.of = [&, depth](const std::string& text) { return meaning_of(text, depth); };
    meaning.of_call = [&, depth](const std::string& name, const std::vector<FormulaPtr>& arguments) {
      return call(name, arguments, depth);
    };
    const std::string whole = normalized(tokens);
    if (const auto known = arguments_.find(whole); known != arguments_.end() && !tuned_.contains(whole))
      return symbol(known->second);
    return read_formula(tokens, meaning);
  }

  /// From here on the grid is read: a number of blocks that has a name of its own may be a size.
  void begin_grid() { of_grid_ = true; }
  const std::map<std::string, double>& numbers() const { return numbers_; }
  /// A variable of the grid that a loop of the host counts up; "" where there is none.
  const std::string& counted() const { return counted_; }

  /// The host's constant behind an argument.
  std::optional<double> constant(const Tokens& tokens) const {
    const Resolver alone(source_, found_, kernel_, tuned_, 0);
    const FormulaPtr value = alone.read(tokens);
    if (value && value->kind == Formula::Kind::number) return value->number;
    return std::nullopt;
  }

  /// dim3(a, b), a variable of that type, or a number.
  std::vector<FormulaPtr> dimensions(const Tokens& tokens, int depth = 0) const {
    if (depth > kDeepest) return {};
    const bool field = tokens.size() == 3 && tokens[1].is(".");  // of a structure: its name alone says no number
    if (const auto known = returned_value(tokens, depth); known && known->numbers.size() > (field ? 0 : 1))
      return known->numbers;
    std::vector<Tokens> parts;
    if (tokens.size() > 2 && tokens[0].is("dim3") && (tokens[1].is("(") || tokens[1].is("{")))
      parts = split(part(tokens, 2, closing(tokens, 1)));
    else if (tokens.size() > 1 && tokens[0].is("{")) parts = split(part(tokens, 1, closing(tokens, 0)));
    else if (tokens.size() == 1 && tokens[0].is_word() && !tuned_.contains(std::string(tokens[0].text)) &&
             !arguments_.contains(std::string(tokens[0].text))) {
      const auto [value, of_dim3] = defined_as(tokens[0].text);
      if (of_dim3) parts = split(value);
      else if (!value.empty() && (value[0].is("dim3") || returned_value(value, depth)))
        return dimensions(value, depth + 1);
      else if (value.empty() && is_open_dim3(tokens[0].text)) return {};
    }
    if (parts.empty()) parts = {tokens};
    std::vector<FormulaPtr> all;
    for (const Tokens& each : parts) {
      const FormulaPtr formula = read(each, depth);
      if (!formula) return {};
      all.push_back(formula);
    }
    return all;
  }

 private:
  Resolver(const Source& source, const FoundLaunch* found, const Declaration& kernel,
           const std::set<std::string>& tuned, int)
      : source_(source), found_(found), kernel_(kernel), tuned_(tuned) {}

  FormulaPtr meaning_of(const std::string& text, int depth) const {
    if (tuned_.contains(text)) return symbol("p." + text);
    if (const auto known = arguments_.find(text); known != arguments_.end()) return symbol(known->second);
    if (const auto known = multiples_.find(text); known != multiples_.end()) return known->second;
    if (text.ends_with(".element_size()")) return symbol("sizeof scalar_t");
    if (text.starts_with("sizeof ")) return size_of(text.substr(7), depth);
    if (const FormulaPtr settled = settled_value(text, depth)) return settled;
    const auto [value, of_dim3] = defined_as(text);
    if (is_counted_up(text)) {
      if (of_grid_) counted_ = text;
      return symbol(text);
    }
    if (!value.empty() && !of_dim3)
      if (const FormulaPtr formula = read(value, depth + 1)) {
        // A number that the host alone knows: 64 rows, 80 blocks. Whether it is a size is seen when the kernel runs.
        const bool of_grid = of_grid_ && formula->kind == Formula::Kind::number && !of_block_.contains(text) &&
                             formula->number >= 2 && is_local(text);
        // A quotient of what only the host knows is a size under its own name.
        if (of_grid_ && (foreign_symbols(*formula) > 1 || is_part_of_all(*formula))) return symbol(text);
        if (of_grid) numbers_[text] = formula->number;
        if (!of_grid_) of_block_.insert(text);
        return of_grid ? symbol(text) : formula;
      }
    if (const std::size_t dot = text.find('.'); dot != std::string::npos && found_ != nullptr) {  // block.x
      const std::string axis = text.substr(dot + 1);
      const Tokens variable = tokens_of(std::string_view(keep(text.substr(0, dot))));
      const std::size_t index = axis == "x" ? 0 : axis == "y" ? 1 : axis == "z" ? 2 : 3;
      if (index < 3 && defined_as(text.substr(0, dot)).first.size() > 0)
        if (const auto all = dimensions(variable, depth + 1); !all.empty())
          return index < all.size() ? all[index] : number(1);
    }
    return nullptr;
  }

  /// sizeof of a name that the host's function or the file gives to another type.
  FormulaPtr size_of(const std::string& type, int depth) const {
    if (depth > kDeepest) return nullptr;
    if (type.find("acc_type") != std::string::npos || type.find("opmath") != std::string::npos)
      return formula(Op::max, {number(4), symbol("sizeof scalar_t")});
    std::string meaning;
    if (found_ != nullptr)
      if (const auto local = local_meaning(*found_, type)) meaning = joined(*local);
    for (const auto& file : source_.files) {
      const Tokens& tokens = file->tokens;
      for (std::size_t i = 1; i + 2 < tokens.size() && meaning.empty(); ++i) {
        if (!tokens[i].is(type)) continue;
        if (tokens[i - 1].is("using") && tokens[i + 1].is("=")) meaning = tokens[i + 2].text;
        if (tokens[i + 1].is(";") && i > 1 && tokens[i - 2].is("typedef")) meaning = tokens[i - 1].text;
      }
    }
    if (meaning.empty() || meaning == type) return nullptr;
    if (const FormulaPtr further = size_of(meaning, depth + 1)) return further;
    return read_formula(tokens_of(keep("sizeof(" + meaning + ")")), {});
  }

  /// x.numel() / cols: rows, of which the kernel is told nothing.
  bool is_part_of_all(const Formula& formula) const {
    return formula.kind == Op::divide && formula.operands[0]->kind == Op::symbol &&
           formula.operands[0]->symbol.ends_with(".numel()") && foreign_symbols(*formula.operands[0]) == 1;
  }

  /// What a variable of the host's function is after several statements: `if (blocks > 1024) blocks = 1024;`. Nothing:
  /// it is set once, or in a way that cannot be followed.
  FormulaPtr settled_value(const std::string& name, int depth) const {
    if (found_ == nullptr || depth > kDeepest) return nullptr;
    const auto function = HostFunction::around(*found_);
    if (!function) return nullptr;
    const std::size_t place = function->token_at(found_->place);
    const auto settings = function->settings_of(name, place);
    if (settings.size() < 2 || !settings.back().declaration) return nullptr;
    HostNames names;
    names.outside.of = [&](const std::string& text) { return text == name ? nullptr : meaning_of(text, depth + 1); };
    names.outside.of_call = [&](const std::string& called, const std::vector<FormulaPtr>& arguments) {
      return call(called, arguments, depth + 1);
    };
    const FormulaPtr value = left_in(part(function->tokens(), settings.back().statement.begin, place), name, names);
    return value && is_of_sizes(*value, *function) ? value : nullptr;
  }

  /// No condition on what is no size: the type of a tensor, what a device can do.
  bool is_of_sizes(const Formula& formula, const HostFunction& function) const {
    return std::ranges::all_of(symbols_of(formula), [&](const std::string& each) {
      if (each.starts_with("p.") || each.starts_with("sizeof ")) return true;
      if (each.find(".size(") != std::string::npos || each.ends_with(".numel()")) return true;
      return function.parameter(each) != nullptr ||
             std::ranges::find(kernel_.parameters, each, &Parameter::name) != kernel_.parameters.end();
    });
  }

  /// What `f(a, b)` or a field of it returns; nothing: it is no call, or its function does more than compute.
  std::optional<HostValue> returned_value(const Tokens& tokens, int depth) const {
    if (tokens.size() == 3 && tokens[0].is_word() && tokens[1].is(".") && tokens[2].is_word() && depth < kDeepest) {
      const Tokens made = defined_as(tokens[0].text).first;
      const auto whole = made.empty() ? std::nullopt : returned_value(made, depth + 1);
      const auto field = whole ? field_of(made, tokens[2].text) : std::nullopt;
      return field && *field < whole->fields.size() ? std::optional(whole->fields[*field]) : std::nullopt;
    }
    std::size_t open = 0;
    while (open < tokens.size() && (tokens[open].is_word() || tokens[open].is("::"))) ++open;
    if (open == 0 || open >= tokens.size() || !tokens[open].is("(") || closing(tokens, open) + 1 != tokens.size() ||
        !tokens[open - 1].is_word())
      return std::nullopt;
    std::vector<FormulaPtr> arguments;
    for (const Tokens& each : split(part(tokens, open + 1, tokens.size() - 1))) {
      arguments.push_back(read(each, depth + 1));
      if (!arguments.back()) return std::nullopt;
    }
    return returned_by_call(std::string(tokens[open - 1].text), arguments, depth);
  }

  /// Which field of what the called function returns has this name.
  std::optional<std::size_t> field_of(const Tokens& called, std::string_view name) const {
    const auto open = std::ranges::find_if(called, [](const Token& each) { return each.is("("); });
    if (open == called.begin() || open == called.end()) return std::nullopt;
    const auto function = function_named(std::prev(open)->text);
    if (!function) return std::nullopt;
    for (const auto& file : source_.files)
      for (std::size_t i = 0; i + 2 < file->tokens.size(); ++i) {
        const Tokens& all = file->tokens;
        if (!all[i].is("struct") || !all[i + 1].is(function->type) || !all[i + 2].is("{")) continue;
        std::size_t count = 0;
        for (std::size_t k = i + 3; k < closing(all, i + 2); ++k) {
          if (!all[k].is(",") && !all[k].is(";")) continue;
          if (all[k - 1].is(name)) return count;
          ++count;
        }
      }
    return std::nullopt;
  }

  struct SmallFunction {
    std::string_view type;  // what it returns: the word before its name
    std::vector<Tokens> parameters;
    Tokens body;
  };

  /// A function of the file with a body; nothing: there is none.
  std::optional<SmallFunction> function_named(std::string_view name) const {
    for (const auto& file : source_.files) {
      const Tokens& tokens = file->tokens;
      for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
        if (!tokens[i].is(name) || !tokens[i + 1].is("(")) continue;
        const Chunk* const chunk = chunk_at(*file, tokens[i].begin);
        const std::size_t close = closing(tokens, i + 1);
        if (chunk == nullptr || chunk->body == chunk->end || close + 2 >= tokens.size() ||
            tokens[close].begin > chunk->body || !tokens[close + 1].is("{"))
          continue;
        return SmallFunction{tokens[i - 1].text, split(part(tokens, i + 2, close)),
                             part(tokens, close + 2, closing(tokens, close + 1))};
      }
    }
    return std::nullopt;
  }

  std::optional<HostValue> returned_by_call(std::string_view name, const std::vector<FormulaPtr>& arguments,
                                            int depth) const {
    const auto function = depth > kDeepest ? std::nullopt : function_named(name);
    if (!function) return std::nullopt;
    HostNames names;
    for (std::size_t i = 0; i < function->parameters.size(); ++i) {
      const Tokens& parameter = function->parameters[i];
      const auto value = std::ranges::find_if(parameter, [](const Token& each) { return each.is("="); });
      if (parameter.empty() || value == parameter.begin()) continue;
      const FormulaPtr given = i < arguments.size()       ? arguments[i]
                               : value != parameter.end() ? read({std::next(value), parameter.end()}, depth + 1)
                                                          : nullptr;
      if (!given) return std::nullopt;
      names.known[std::string(std::prev(value)->text)] = given;
    }
    names.outside.of = [&](const std::string& text) { return meaning_of(text, depth + 1); };
    names.outside.of_call = [&](const std::string& called, const std::vector<FormulaPtr>& all) {
      return call(called, all, depth + 1);
    };
    return returned_by(function->body, names);
  }

  std::size_t foreign_symbols(const Formula& formula) const {
    std::size_t count = 0;
    for (const std::string& each : symbols_of(formula)) {
      const bool known = each.starts_with("p.") || each.starts_with("sizeof ") ||
                         std::any_of(kernel_.parameters.begin(), kernel_.parameters.end(),
                                     [&](const Parameter& parameter) { return parameter.name == each; });
      count += known ? 0 : 1;
    }
    return count;
  }

  /// Is it a variable of the host's function, and no macro or constant of the file?
  bool is_local(const std::string& name) const {
    if (found_ == nullptr || found_->chunk == nullptr) return false;
    const Tokens& tokens = found_->file->tokens;
    for (std::size_t i = 1; i < tokens.size() && tokens[i].begin < found_->place; ++i)
      if (tokens[i].begin > found_->chunk->begin && tokens[i].is(name) && definition(tokens, i)) return true;
    return false;
  }

  const std::string& keep(std::string text) const {
    kept_.push_back(std::make_unique<std::string>(std::move(text)));
    return *kept_.back();
  }

  /// The tokens of `name = ...;` before the launch, or of `dim3 name(...)`; else of a macro or a constant of the file.
  std::pair<Tokens, bool> defined_as(std::string_view name) const {
    if (found_ != nullptr && found_->chunk != nullptr) {
      const Tokens& tokens = found_->file->tokens;
      for (std::size_t i = tokens.size(); i-- > 1;) {
        if (tokens[i].begin >= found_->place || !tokens[i].is(name)) continue;
        if (tokens[i].begin < found_->chunk->begin) break;
        if (const auto value = definition(tokens, i)) return *value;
      }
    }
    for (const auto& file : source_.files) {
      for (const Macro& macro : file->macros)
        if (macro.name == name && is_taken(*file, macro)) {
          const Tokens words =
              tokens_of(std::string_view(file->text).substr(macro.begin + 1, macro.end - macro.begin - 1));
          if (words.size() > 2 && !(words[2].is("(") && words[2].begin == words[1].end))
            return {part(words, 2, words.size()), false};
        }
      for (std::size_t i = 1; i < file->tokens.size(); ++i) {
        const Chunk* const chunk = file->tokens[i].is(name) ? chunk_at(*file, file->tokens[i].begin) : nullptr;
        if (chunk == nullptr || chunk->body != chunk->end) continue;
        if (const auto value = definition(file->tokens, i)) return *value;
      }
    }
    return {{}, false};
  }

  /// Of the definitions in branches of #if, the compiler sees one.
  bool is_taken(const SourceText& file, const Macro& macro) const {
    bool known = false;
    for (const Declaration& each : source_.parsed.declarations) {
      if (each.kind != Declaration::Kind::macro || each.name != macro.name || each.file != file.path) continue;
      if (macro.begin <= each.place && each.place < macro.end) return true;
      known = true;
    }
    return !known;
  }

  /// A dim3 that the host's function is given, or fills in one by one: nobody can say how many numbers it has.
  bool is_open_dim3(std::string_view name) const {
    if (found_ == nullptr || found_->chunk == nullptr) return false;
    const Tokens& tokens = found_->file->tokens;
    for (std::size_t i = 1; i < tokens.size() && tokens[i].begin < found_->place; ++i) {
      if (tokens[i].begin < found_->chunk->begin || !tokens[i].is(name)) continue;
      std::size_t type = i - 1;
      while (type > 0 && (tokens[type].is("&") || tokens[type].is("const"))) --type;
      if (tokens[type].is("dim3")) return true;
    }
    return false;
  }

  /// `blocks++` in a loop: what its declaration says is not what the launch gets.
  bool is_counted_up(std::string_view name) const {
    if (found_ == nullptr || found_->chunk == nullptr) return false;
    const Tokens& tokens = found_->file->tokens;
    for (std::size_t i = 1; i + 1 < tokens.size() && tokens[i].begin < found_->place; ++i) {
      if (tokens[i].begin < found_->chunk->begin || !tokens[i].is(name)) continue;
      for (const char* sign : {"++", "--", "+=", "-=", "*=", "/="})
        if (tokens[i + 1].is(sign) || (tokens[i - 1].is(sign) && sign[0] == sign[1])) return true;
    }
    return false;
  }

  static std::optional<std::pair<Tokens, bool>> definition(const Tokens& tokens, std::size_t i) {
    if (i + 1 >= tokens.size() || tokens[i - 1].is(".") || tokens[i - 1].is("->")) return std::nullopt;
    if (tokens[i + 1].is("=")) {
      std::size_t end = i + 2;
      for (int depth = 0; end < tokens.size(); ++end) {
        if (tokens[end].is("(") || tokens[end].is("{") || tokens[end].is("[")) ++depth;
        if (tokens[end].is(")") || tokens[end].is("}") || tokens[end].is("]")) --depth;
        if (depth < 0 || (depth == 0 && (tokens[end].is(";") || tokens[end].is(",")))) break;
      }
      return std::pair{part(tokens, i + 2, end), false};
    }
    const bool variable = tokens[i - 1].is_word() && !tokens[i - 1].is("return");
    if (variable && tokens[i - 1].is("dim3") && (tokens[i + 1].is("(") || tokens[i + 1].is("{")))
      return std::pair{part(tokens, i + 2, closing(tokens, i + 1)), true};
    if (tokens[i - 1].is(",") && (tokens[i + 1].is("(") || tokens[i + 1].is("{"))) {  // dim3 block(256), grid(8);
      std::size_t first = i;
      while (first > 0 && !tokens[first].is(";") && !tokens[first].is("{") && !tokens[first].is("}")) --first;
      if (tokens[first + 1].is("dim3") || tokens[first + 2].is("dim3"))
        return std::pair{part(tokens, i + 2, closing(tokens, i + 1)), true};
    }
    return std::nullopt;
  }

  /// f(a, b) where f is a function that only computes, a lambda that returns an expression or a macro with arguments.
  FormulaPtr call(const std::string& name, const std::vector<FormulaPtr>& arguments, int depth) const {
    if (depth > kDeepest) return nullptr;
    if (const Tokens value = defined_as(name).first; !value.empty() && value[0].is("["))
      return call_of_lambda(value, arguments, depth);
    if (const auto value = returned_by_call(name, arguments, depth); value && value->numbers.size() == 1)
      return value->numbers[0];
    for (const auto& file : source_.files) {
      for (const Macro& macro : file->macros) {
        if (macro.name != name) continue;
        const Tokens words =
            tokens_of(std::string_view(file->text).substr(macro.begin + 1, macro.end - macro.begin - 1));
        if (words.size() < 4 || !words[2].is("(")) continue;
        const std::size_t close = closing(words, 2);
        return applied(split(part(words, 3, close)), part(words, close + 1, words.size()), arguments, depth);
      }
    }
    return nullptr;
  }

  /// `[](int a, int b) { return a / b; }`
  FormulaPtr call_of_lambda(const Tokens& lambda, const std::vector<FormulaPtr>& arguments, int depth) const {
    const std::size_t open = closing(lambda, 0) + 1;
    if (open >= lambda.size() || !lambda[open].is("(")) return nullptr;
    const std::size_t close = closing(lambda, open);
    std::size_t brace = close;
    while (brace < lambda.size() && !lambda[brace].is("{")) ++brace;
    if (brace + 2 >= lambda.size() || !lambda[brace + 1].is("return")) return nullptr;
    return applied(split(part(lambda, open + 1, close)), part(lambda, brace + 2, closing(lambda, brace) - 1), arguments,
                   depth);
  }

  FormulaPtr applied(const std::vector<Tokens>& parameters, const Tokens& body,
                     const std::vector<FormulaPtr>& arguments, int depth) const {
    if (parameters.size() != arguments.size()) return nullptr;
    std::map<std::string, FormulaPtr> values;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (!parameters[i].empty()) values[std::string(parameters[i].back().text)] = arguments[i];
    Meaning inner;
    inner.of = [&](const std::string& text) {
      const auto known = values.find(text);
      return known == values.end() ? meaning_of(text, depth + 1) : known->second;
    };
    inner.of_call = [&](const std::string& name, const std::vector<FormulaPtr>& all) {
      return call(name, all, depth + 1);
    };
    return read_formula(body, inner);
  }

  const Source& source_;
  const FoundLaunch* found_;
  const Declaration& kernel_;
  const std::set<std::string>& tuned_;
  std::map<std::string, std::string> arguments_;  // text of an argument -> parameter
  std::map<std::string, FormulaPtr> multiples_;   // `cols` where `cols / 2` is passed: twice the parameter
  mutable std::vector<std::unique_ptr<std::string>> kept_;
  bool of_grid_ = false;
  mutable std::set<std::string> of_block_;         // variables that a block or its shared memory is computed from
  mutable std::map<std::string, double> numbers_;  // launch sizes that are numbers on the host
  mutable std::string counted_;
};

/// The element types that a PyTorch dispatch goes over.
std::vector<std::string> dispatched(const std::string& text) {
  if (text.empty()) return {};
  const auto has = [&](const char* word) { return text.find(word) != std::string::npos; };
  std::vector<std::string> types;
  if (has("FLOATING_TYPES") || has("ALL_TYPES")) types = {"f32", "f64"};
  if (has("REDUCED_FLOATING")) types = {};
  if (has("_HALF") || has("kHalf") || has("::Half") || has("REDUCED_FLOATING")) types.emplace_back("f16");
  if (has("BFLOAT16") || has("BFloat16") || has("REDUCED_FLOATING")) types.emplace_back("bf16");
  if (has("INTEGRAL_TYPES")) types.insert(types.end(), {"s32", "s64"});
  if (types.empty()) types = {"f32"};
  return types;
}

/// Pointers behind cudaMemset(pointer, 0, ...) and torch::zeros.
std::set<std::string> zeroed_arguments(const FoundLaunch& found, const Declaration& kernel) {
  std::set<std::string> zeroed;
  if (found.chunk == nullptr) return zeroed;
  const Tokens& tokens = found.file->tokens;
  for (std::size_t p = 0; p < std::min(kernel.parameters.size(), found.arguments.size()); ++p) {
    if (kernel.parameters[p].pointee.empty() || found.arguments[p].empty()) continue;
    const std::string_view name = found.arguments[p][0].text;
    for (std::size_t i = 2; i + 2 < tokens.size() && tokens[i].begin < found.place; ++i) {
      if (tokens[i].begin < found.chunk->begin || !tokens[i].is(name)) continue;
      const bool memset = tokens[i - 1].is("(") &&
                          (tokens[i - 2].is("cudaMemset") || tokens[i - 2].is("cudaMemsetAsync")) &&
                          tokens[i + 2].is("0");
      bool zeros = false;
      if (tokens[i + 1].is("="))
        for (std::size_t k = i + 2; k < tokens.size() && k < i + 6 && !tokens[k].is(";"); ++k)
          zeros = zeros || tokens[k].is("zeros") || tokens[k].is("zeros_like");
      if (memset || zeros) zeroed.insert(kernel.parameters[p].name);
    }
  }
  return zeroed;
}

bool is_of_parameters(const Formula& formula, const Declaration& kernel, const std::set<std::string>& tuned,
                      const std::string& but) {
  return std::ranges::all_of(symbols_of(formula), [&](const std::string& each) {
    if (each.starts_with("p.") && tuned.contains(each.substr(2))) return true;
    return each != but && std::ranges::any_of(kernel.parameters, [&](const Parameter& parameter) {
             return parameter.name == each && parameter.pointee.empty() && is_whole_number(parameter.resolved);
           });
  });
}

/// Is it "x.size(2)" with this member? Then the tensor and the dimension; -1 counts from the end.
std::optional<std::pair<std::string, int>> extent_of(const std::string& text, std::string_view member) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string::npos || !std::string_view(text).substr(dot + 1).starts_with(member)) return std::nullopt;
  const std::string dimension = text.substr(dot + 1 + member.size());
  if (dimension.size() < 3 || dimension.front() != '(' || dimension.back() != ')') return std::nullopt;
  char* end = nullptr;
  const long value = std::strtol(dimension.c_str() + 1, &end, 10);
  if (*end != ')' || value < -1 || value > 7) return std::nullopt;
  return std::pair{text.substr(0, dot), static_cast<int>(value)};
}

/// Tensors whose extents the kernel is passed: then their numel() and their strides follow, for tensors are contiguous.
/// Extents that it is not passed are sizes of their own.
class TensorExtents {
 public:
  /// `texts`: whole-numbered parameter -> what the host passes, followed as far as it goes.
  explicit TensorExtents(const std::map<std::string, std::string>& texts) {
    for (const auto& [parameter, text] : texts)
      if (const auto extent = extent_of(text, "size")) extents_[extent->first].emplace(extent->second, parameter);
  }

  FormulaPtr follows(const std::string& text) const {
    if (text.ends_with(".numel()")) return product(text.substr(0, text.size() - 8), -1);
    const auto stride = extent_of(text, "stride");
    return stride && stride->second >= 0 ? product(stride->first, stride->second) : nullptr;
  }

 private:
  /// Of the extents behind a dimension; nullptr: the tensor's are not known.
  FormulaPtr product(const std::string& tensor, int behind) const {
    const auto known = extents_.find(tensor);
    if (known == extents_.end()) return nullptr;
    const std::map<int, std::string>& extents = known->second;
    const bool last = extents.contains(-1);  // x.size(-1)
    const int named = extents.rbegin()->first + 1, rank = std::max(2, named + (last ? 1 : 0));
    if (behind >= rank) return nullptr;
    FormulaPtr all = number(1);
    for (int i = behind + 1; i < rank; ++i) {
      const auto passed = extents.find(last && i + 1 == rank ? -1 : i);
      all = formula(Op::multiply,
                    {all, symbol(passed != extents.end() ? passed->second : fmt::format("{}.size({})", tensor, i))});
    }
    return all;
  }

  std::map<std::string, std::map<int, std::string>> extents_;  // tensor -> dimension -> parameter
};

/// What the host passes for whole numbers of the kernel is followed back to tensors: `N = x.numel()`. Gives which
/// parameter each extent is: x.size(1).
std::map<std::string, FormulaPtr> note_what_tensors_say(const Source& source, const FoundLaunch& found,
                                                        const Declaration& kernel, const std::set<std::string>& tuned,
                                                        LaunchShape& shape) {
  std::map<std::string, std::string> texts;
  for (std::size_t i = 0; i < std::min(found.arguments.size(), kernel.parameters.size()); ++i) {
    const Parameter& parameter = kernel.parameters[i];
    if (!parameter.pointee.empty() || !is_whole_number(parameter.resolved) || shape.follows.contains(parameter.name))
      continue;
    FoundLaunch others = found;
    others.arguments[i].clear();
    const FormulaPtr formula = Resolver(source, &others, kernel, tuned).read(found.arguments[i]);
    if (formula && formula->kind == Op::symbol) texts[parameter.name] = formula->symbol;
  }
  const TensorExtents extents(texts);
  for (const auto& [parameter, text] : texts)
    if (const FormulaPtr follows = extents.follows(text)) shape.follows[parameter] = follows;
  std::map<std::string, FormulaPtr> parameters;
  for (const auto& [parameter, text] : texts) parameters.emplace(text, symbol(parameter));
  return parameters;
}

/// Then it is a part of something, and a size of its own: dim = qkv.size(2) / 3 / heads.
bool has_quotient(const Formula& formula) {
  return formula.kind == Op::divide || formula.kind == Op::modulo || formula.kind == Op::cdiv ||
         std::ranges::any_of(formula.operands, [](const FormulaPtr& each) { return has_quotient(*each); });
}

/// channels * height * width: sizes of the kernel, and at least one that only the function is given, by itself or with
/// a tensor (x.size(0)).
bool is_of_host_sizes(const Formula& formula, const Declaration& kernel, const HostFunction& function,
                      const std::string& but) {
  std::size_t own = 0, of_kernel = 0;
  for (const std::string& each : symbols_of(formula)) {
    const HostFunction::Parameter* const given = function.parameter(each);
    const bool passed = is_of_parameters(*symbol(each), kernel, {}, but),
               of_tensor = extent_of(each, "size").has_value() && !has_quotient(formula);
    const bool of_function = given != nullptr && !given->array && is_whole_number(given->type);
    if (!passed && !of_tensor && !of_function) return false;
    ++(passed ? of_kernel : own);
  }
  return own > 0 && of_kernel > 0;
}

/// `const int Bc = 32;` and `Tc = cdiv(N, Bc)` of a function that is called with arrays and sizes are settings; those
/// of a main are one program's example.
void note_what_the_host_computes(const Source& source, const FoundLaunch& found, const Declaration& kernel,
                                 const std::set<std::string>& tuned, LaunchShape& shape) {
  for (std::size_t i = 0; i < std::min(found.arguments.size(), kernel.parameters.size()); ++i)
    if (const std::string text = joined(found.arguments[i]);
        tuned.contains(text) && is_whole_number(kernel.parameters[i].resolved))
      shape.follows[kernel.parameters[i].name] = symbol("p." + text);
  const auto function = HostFunction::around(found);
  if (!function || !function->is_given_its_sizes()) return;
  for (std::size_t i = 0; i < std::min(found.arguments.size(), kernel.parameters.size()); ++i) {
    const Tokens& argument = found.arguments[i];
    const Parameter& parameter = kernel.parameters[i];
    if (argument.empty() || !parameter.pointee.empty() || !is_whole_number(parameter.resolved)) continue;
    if (shape.follows.contains(parameter.name)) continue;
    if (argument.size() == 1) {  // one that is set once, whatever the sizes are
      const std::size_t place = function->token_at(found.place);
      const auto settings = function->settings_of(argument[0].text, place);
      if (settings.size() != 1 || !settings[0].declaration || !function->control_over(settings[0].at).empty()) continue;
    }
    FoundLaunch others = found;
    others.arguments[i].clear();
    const FormulaPtr formula = Resolver(source, &others, kernel, tuned).read(argument);
    if (formula && (is_of_parameters(*formula, kernel, tuned, parameter.name) ||
                    is_of_host_sizes(*formula, kernel, *function, parameter.name)))
      shape.follows[parameter.name] = formula;
  }
}

/// `assert(n % 8 == 0)` and TORCH_CHECK of what is passed, also where it has its name in a tensor: x.size(1).
void note_assertions(const Source& source, const FoundLaunch& found, const Declaration& kernel,
                     const std::set<std::string>& tuned, const std::map<std::string, FormulaPtr>& of_tensors,
                     LaunchShape& shape) {
  const auto function = HostFunction::around(found);
  if (!function) return;
  const Resolver resolver(source, &found, kernel, tuned);
  for (const Tokens& each : function->assertions()) {
    const FormulaPtr read = resolver.read(each);
    const FormulaPtr formula = read ? with(read, of_tensors) : nullptr;
    const bool remainder = formula && formula->kind == Op::eq && formula->operands[0]->kind == Op::modulo;
    if (!remainder || symbols_of(*formula).empty() || !is_of_parameters(*formula, kernel, tuned, "")) continue;
    shape.asserted.emplace_back(
        formula, fmt::format("{}:{} asks for it", std::filesystem::path(found.file->path).filename().string(),
                             line_of(found.file->text, each.front().begin)));
  }
}

/// Of a tensor that the function makes with empty({a, b}) or zeros({a, b}); empty: it makes none so.
std::vector<FormulaPtr> extents_of_made(const FoundLaunch& found, const HostFunction& function,
                                        const Resolver& resolver, const std::string& name) {
  constexpr int kMostDimensions = 5;
  for (int rank = 1; rank <= kMostDimensions && function.allocates(name); ++rank) {
    std::vector<FormulaPtr> extents;
    for (const std::string& each : extents_of_tensor(&found, name, rank))
      extents.push_back(each.starts_with(name + ".size(") ? nullptr : resolver.read(tokens_of(each)));
    if (std::ranges::find(extents, nullptr) == extents.end()) return extents;
  }
  return {};
}

/// What the host asks cudaMalloc for where it launches, as far as it is made of the kernel's sizes, and the tensors
/// that it makes.
void note_allocations(const Source& source, const FoundLaunch& found, const Declaration& kernel,
                      const std::set<std::string>& tuned, const std::map<std::string, FormulaPtr>& of_tensors,
                      LaunchShape& shape) {
  const auto function = HostFunction::around(found);
  if (!function) return;
  const Resolver resolver(source, &found, kernel, tuned);
  for (std::size_t i = 0; i < std::min(found.arguments.size(), kernel.parameters.size()); ++i) {
    const Parameter& parameter = kernel.parameters[i];
    if (parameter.pointee.empty() || found.arguments[i].empty()) continue;
    const std::string name(found.arguments[i][0].text);  // x or x.data_ptr<float>()
    const Tokens bytes = function->bytes_of(name);
    FormulaPtr formula;
    if (!bytes.empty()) {
      formula = resolver.read(bytes);
    } else if (auto extents = extents_of_made(found, *function, resolver, name); !extents.empty()) {
      for (FormulaPtr& each : extents) each = with(each, of_tensors);
      shape.tensors[parameter.name] = extents;
      formula = resolver.read(tokens_of("sizeof(" + parameter.pointee + ")"));
      for (const FormulaPtr& each : extents)
        if (formula) formula = harness::adopt::formula(Op::multiply, {formula, each});
    }
    if (formula && is_of_parameters(*formula, kernel, tuned, "")) shape.allocated[parameter.name] = formula;
  }
}

/// The sizes that the host's function is given, in the order of its parameters, under the kernel's names for them.
std::vector<std::string> order_of_host(const FoundLaunch& found, const Declaration& kernel) {
  std::vector<std::string> order;
  const auto function = HostFunction::around(found);
  if (!function) return order;
  for (const HostFunction::Parameter& each : function->parameters()) {
    if (each.array || !is_whole_number(each.type)) continue;
    std::string name = each.name;
    for (std::size_t i = 0; i < std::min(found.arguments.size(), kernel.parameters.size()); ++i)
      if (kernel.parameters[i].pointee.empty() && normalized(found.arguments[i]) == each.name)
        name = kernel.parameters[i].name;
    order.push_back(name);
  }
  return order;
}

/// Extents of tensors that the kernel is passed, or that a count is made of (x.size(0)): of each tensor in the order of
/// its dimensions.
std::vector<std::string> order_of_tensors(const Source& source, const FoundLaunch& found, const Declaration& kernel,
                                          const std::set<std::string>& tuned) {
  constexpr int kBehindAll = 100;  // x.size(-1)
  std::vector<std::string> tensors;
  std::map<std::string, std::map<int, std::string>> dimensions;
  const auto note = [&](const std::string& text, const std::string& name) {
    const auto extent = extent_of(text, "size");
    if (!extent) return;
    const auto& [tensor, dimension] = *extent;
    if (!dimensions.contains(tensor)) tensors.push_back(tensor);
    std::string& known = dimensions[tensor][dimension < 0 ? kBehindAll : dimension];
    if (known.empty() || name != text) known = name;
  };
  for (std::size_t i = 0; i < std::min(found.arguments.size(), kernel.parameters.size()); ++i) {
    const Parameter& parameter = kernel.parameters[i];
    if (!parameter.pointee.empty() || !is_whole_number(parameter.resolved)) continue;
    FoundLaunch others = found;
    others.arguments[i].clear();
    const FormulaPtr formula = Resolver(source, &others, kernel, tuned).read(found.arguments[i]);
    const std::set<std::string> symbols = formula ? symbols_of(*formula) : std::set<std::string>();
    for (const std::string& each : symbols) note(each, symbols.size() == 1 ? parameter.name : each);
  }
  std::vector<std::string> order;
  for (const std::string& tensor : tensors)
    for (const auto& [dimension, name] : dimensions[tensor]) order.push_back(name);
  return order;
}

/// Does `name` divide something? Then it is what a block covers: `per` of cdiv(n, per).
bool divides(const Formula& formula, const std::string& name) {
  const bool quotient = formula.kind == Op::cdiv || formula.kind == Op::divide;
  if (quotient && symbols_of(*formula.operands[1]).contains(name)) return true;
  return std::ranges::any_of(formula.operands, [&](const FormulaPtr& each) { return divides(*each, name); });
}

/// A number of the host's that divides in the grid is no size of the launch, whatever it is called.
void settle_divisors(const std::map<std::string, double>& numbers, std::vector<FormulaPtr>& grid) {
  for (const auto& [name, value] : numbers)
    if (std::ranges::any_of(grid, [&, &own = name](const FormulaPtr& each) { return divides(*each, own); }))
      for (FormulaPtr& each : grid) each = with(each, {{name, number(value)}});
}

/// `(n + 13) / 14`: the first value of a variable of that name in the file that is computed; "": there is none.
std::string value_in_file(const SourceText& file, std::string_view name) {
  const Tokens& tokens = file.tokens;
  for (std::size_t i = 1; i + 2 < tokens.size(); ++i) {
    if (!tokens[i].is(name) || !tokens[i + 1].is("=") || tokens[i - 1].is(".") || tokens[i - 1].is("->")) continue;
    std::size_t end = i + 2;
    while (end < tokens.size() && !tokens[end].is(";")) ++end;
    const std::vector<Tokens> parts = split(part(tokens, i + 2, end));
    if (parts.empty() || parts.front().empty()) continue;
    const Tokens& value = parts.front();
    const bool read_in = std::ranges::any_of(
        value, [](const Token& each) { return each.is("argv") || each.kind == Token::Kind::literal; });
    if (!read_in && std::ranges::any_of(value, &Token::is_word))
      return file.text.substr(value.front().begin, value.back().end - value.front().begin);
  }
  return "";
}

}  // namespace

std::string normalized(const std::vector<Token>& given) {
  Tokens tokens = given;
  for (bool again = true; again;) {
    again = false;
    if (tokens.size() > 4 && tokens[0].is("static_cast")) {
      std::size_t open = 1;
      while (open < tokens.size() && !tokens[open].is("(")) ++open;
      if (open < tokens.size() && closing(tokens, open) == tokens.size() - 1) {
        tokens = part(tokens, open + 1, tokens.size() - 1);
        again = true;
      }
    } else if (tokens.size() > 3 && tokens[0].is("(")) {
      const std::size_t close = closing(tokens, 0);
      if (close == tokens.size() - 1) {
        tokens = part(tokens, 1, close);
        again = true;
      } else if (close == 2 && tokens[1].is_word() && tokens[3].is_word()) {
        tokens = part(tokens, 3, tokens.size());
        again = true;
      }
    }
  }
  return joined(tokens);
}

std::vector<FoundLaunch> find_launches(const Source& source) {
  std::vector<FoundLaunch> all;
  for (const auto& file : source.files)
    for (std::size_t i = 0; i < file->tokens.size(); ++i)
      if (file->tokens[i].is("<<<")) read_launch(*file, i, all);
  return all;
}

namespace {

/// "x" of x.permute({0, 2, 1}).contiguous() and of x.packed_accessor32<float, 3>(); `order` then says which dimension
/// of x each one is. "": the tensor is made otherwise.
std::string base_of_view(const Tokens& value, std::vector<std::size_t>& order) {
  if (value.size() < 4 || !value[0].is_word() || !value[1].is(".")) return "";
  std::vector<std::vector<std::size_t>> moves;
  for (std::size_t i = 1; i + 1 < value.size() && value[i].is(".");) {
    const std::string_view member = value[i + 1].text;
    std::size_t open = i + 2;
    while (open < value.size() && !value[open].is("(")) ++open;
    const std::size_t close = open < value.size() ? closing(value, open) : value.size();
    if (close >= value.size()) return "";
    std::vector<std::size_t> numbers;
    for (std::size_t k = open; k < close; ++k)
      if (value[k].kind == Token::Kind::number)
        numbers.push_back(static_cast<std::size_t>(std::atoi(std::string(value[k].text).c_str())));
    if (member == "permute") {
      moves.push_back(numbers);
    } else if (member == "transpose" && numbers.size() == 2 && std::max(numbers[0], numbers[1]) < order.size()) {
      moves.emplace_back(order.size());
      for (std::size_t k = 0; k < order.size(); ++k) moves.back()[k] = k;
      std::swap(moves.back()[numbers[0]], moves.back()[numbers[1]]);
    } else if (!member.starts_with("packed_accessor") && member != "contiguous" && member != "to" &&
               member != "detach" && member != "clone") {
      return "";
    }
    i = close + 1;
  }
  std::vector<std::size_t> moved = order;
  for (auto move = moves.rbegin(); move != moves.rend(); ++move) {  // the last one is nearest to the result
    const bool whole = move->size() == moved.size() &&
                       std::ranges::all_of(*move, [&](std::size_t each) { return each < moved.size(); });
    if (!whole) return "";
    for (std::size_t& each : moved) each = (*move)[each];
  }
  order = moved;
  return std::string(value[0].text);
}

}  // namespace

std::optional<std::string> value_of_local(const FoundLaunch& found, const std::string& name) {
  auto value = local_meaning(found, name);
  if (!value) value = braces_of_local(found, name);
  if (!value || value->empty()) return std::nullopt;
  return found.file->text.substr(value->front().begin, value->back().end - value->front().begin);
}

std::optional<std::string> value_of_field(const FoundLaunch& found, const std::string& name, const std::string& field) {
  if (found.chunk == nullptr) return std::nullopt;
  const Tokens& tokens = found.file->tokens;
  for (std::size_t i = tokens.size(); i-- > 4;) {
    if (tokens[i].begin >= found.place || !tokens[i].is("=")) continue;
    if (tokens[i].begin < found.chunk->begin) break;
    if (!tokens[i - 1].is(field) || !tokens[i - 2].is(".") || !tokens[i - 3].is(name) || tokens[i - 4].is("."))
      continue;
    std::size_t end = i + 1;
    while (end < tokens.size() && !tokens[end].is(";")) ++end;
    return found.file->text.substr(tokens[i].end, tokens[end - 1].end - tokens[i].end);
  }
  return std::nullopt;
}

std::vector<std::string> extents_of_tensor(const FoundLaunch* found, const std::string& given, int rank) {
  std::string tensor = given;
  std::vector<std::string> extents;
  std::vector<std::size_t> order;  // dimension of `given` -> of `tensor`
  for (int i = 0; i < rank; ++i) order.push_back(static_cast<std::size_t>(i));
  for (int depth = 0; found != nullptr && depth < kDeepest; ++depth) {
    const auto value = local_meaning(*found, tensor);
    if (!value) break;
    std::string like = base_of_view(*value, order);
    for (std::size_t i = 0; i + 1 < value->size() && extents.empty(); ++i) {
      const Token& token = (*value)[i];
      if (!token.is_word() || !(*value)[i + 1].is("(")) continue;
      const Tokens arguments = part(*value, i + 2, std::min(closing(*value, i + 1), value->size()));
      if (arguments.empty()) continue;
      if (token.text.ends_with("_like") && arguments[0].is_word()) like = arguments[0].text;
      const bool makes = token.is("zeros") || token.is("empty") || token.is("ones") || token.is("full") ||
                         token.is("reshape") || token.is("view") || token.is("expand");
      if (!makes || !arguments[0].is("{")) continue;
      for (const Tokens& each : split(part(arguments, 1, closing(arguments, 0))))
        extents.push_back(written_out(*found, each));
    }
    if (!extents.empty() || like.empty()) break;
    tensor = like;
  }
  std::vector<std::string> own;
  const bool known = static_cast<int>(extents.size()) == rank;
  for (const std::size_t i : order) own.push_back(known ? extents[i] : fmt::format("{}.size({})", tensor, i));
  return own;
}

LaunchShape resolve_launch(const Source& source, const FoundLaunch& found, const Declaration& kernel,
                           const std::set<std::string>& tuned, bool host_sizes) {
  Resolver resolver(source, &found, kernel, tuned);
  LaunchShape shape;
  const std::string where = fmt::format("{}:{}", std::filesystem::path(found.file->path).filename().string(),
                                        line_of(found.file->text, found.place));
  const auto text = [&](std::size_t i) {
    const Tokens& tokens = found.configuration[i];
    return found.file->text.substr(tokens.front().begin, tokens.back().end - tokens.front().begin);
  };
  const auto refuse = [&](const char* what, std::size_t i) {
    return bad_input(fmt::format("{}: the {} '{}' of {} cannot be traced to its parameters; give --{} EXPR", where,
                                 what, found.configuration.size() > i && !found.configuration[i].empty() ? text(i) : "",
                                 kernel.name, what));
  };
  if (found.configuration.size() < 2 || found.configuration[0].empty() || found.configuration[1].empty())
    throw refuse("grid", 0);
  shape.block = resolver.dimensions(found.configuration[1]);
  if (found.configuration.size() > 2 && !found.configuration[2].empty()) {
    shape.shared = resolver.read(found.configuration[2]);
    if (!shape.shared) throw refuse("shared", 2);
  }
  if (host_sizes) resolver.begin_grid();
  shape.grid = resolver.dimensions(found.configuration[0]);
  shape.constants = resolver.numbers();
  settle_divisors(shape.constants, shape.grid);
  if (shape.grid.empty() || shape.grid.size() > 3) throw refuse("grid", 0);
  if (const std::string& counted = resolver.counted(); !counted.empty())
    throw bad_input(
        fmt::format("{}: a loop of the host counts '{}' up, which the grid of {} is made of; give --grid EXPR --block "
                    "EXPR in terms of its parameters, as in --grid \"cdiv(n, 16), cdiv(m, 16)\" --block 16,16",
                    where, counted, kernel.name));
  if (shape.block.empty() || shape.block.size() > 3) throw refuse("block", 1);
  shape.from = fmt::format("{}: {}<<<{}, {}>>>", where, found.entry, text(0), text(1));
  for (std::size_t i = 0; i < std::min(found.templates.size(), kernel.templates.size()); ++i) {
    std::string argument = found.templates[i];
    if (!kernel.templates[i].type) {
      const Tokens tokens = tokens_of(argument);
      if (const auto value = resolver.constant(tokens)) argument = fmt::format("{}", static_cast<std::int64_t>(*value));
    }
    if (const Tokens& written = found.template_tokens[i]; written.size() == 1 && written[0].is_word())
      if (const auto value = value_of_host_template(source, found, written[0].text)) argument = joined(*value);
    argument = written_out(found, tokens_of(argument));
    shape.templates[kernel.templates[i].name] = argument;
  }
  for (std::size_t i = 0; i < std::min(found.arguments.size(), kernel.parameters.size()); ++i)
    if (kernel.parameters[i].pointee.empty())
      if (const auto value = resolver.constant(found.arguments[i])) shape.constants[kernel.parameters[i].name] = *value;
  std::map<std::string, FormulaPtr> of_tensors;
  if (host_sizes) {
    note_what_the_host_computes(source, found, kernel, tuned, shape);
    of_tensors = note_what_tensors_say(source, found, kernel, tuned, shape);
    note_assertions(source, found, kernel, tuned, of_tensors, shape);
  }
  note_allocations(source, found, kernel, tuned, of_tensors, shape);
  if (host_sizes) shape.order = order_of_host(found, kernel);
  if (shape.order.empty()) shape.order = order_of_tensors(source, found, kernel, tuned);
  shape.zeroed = zeroed_arguments(found, kernel);
  shape.dtypes = dispatched(found.dispatch.empty() ? dispatch_of_caller(source, found) : found.dispatch);
  return shape;
}

std::map<std::string, std::string> written_by_host(const Source& source, const FoundLaunch& found,
                                                   const Declaration& kernel, const std::vector<FormulaPtr>& grid) {
  const auto value_of = [&](std::string_view name) {
    std::string value = value_in_file(*found.file, name);
    for (const auto& file : source.files)
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
  for (std::size_t i = 0; i < std::min(found.arguments.size(), kernel.parameters.size()); ++i) {
    Tokens argument = found.arguments[i];
    std::erase_if(argument, [](const Token& each) { return each.is("\\"); });
    const Parameter& parameter = kernel.parameters[i];
    if (argument.empty() || !parameter.pointee.empty() || !is_whole_number(parameter.resolved)) continue;
    if (argument.size() > 1)
      note(parameter.name,
           found.file->text.substr(argument.front().begin, argument.back().end - argument.front().begin));
    else if (argument[0].is_word()) note(parameter.name, value_of(argument[0].text));
  }
  for (const FormulaPtr& extent : grid)
    for (const std::string& each : symbols_of(*extent)) note(each, value_of(each));
  return written;
}

FormulaPtr resolve_expression(const Source& source, const FoundLaunch& found, const Declaration& kernel,
                              const std::set<std::string>& tuned, const std::vector<Token>& tokens) {
  return Resolver(source, &found, kernel, tuned).read(tokens);
}

std::vector<FormulaPtr> read_dimensions(const std::string& option, const std::string& text, const Declaration& kernel,
                                        const std::set<std::string>& tuned) {
  static const Source none;
  const Resolver resolver(none, nullptr, kernel, tuned);
  std::vector<FormulaPtr> all;
  for (const Tokens& each : split(tokens_of(text))) {
    const FormulaPtr formula = resolver.read(each);
    if (!formula) throw bad_input(fmt::format("{} '{}' is no expression; write it like cdiv(n, 256), 2", option, text));
    all.push_back(formula);
  }
  const std::size_t most = option == "--arg" ? 8 : 3;
  if (all.empty() || all.size() > most)
    throw bad_input(fmt::format("{} '{}' must have one to {} numbers", option, text, most));
  return all;
}

}  // namespace harness::adopt
