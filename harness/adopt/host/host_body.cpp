#include "harness/adopt/host/host_body.h"

#include <algorithm>
#include <cmath>

namespace harness::adopt {
namespace {

constexpr int kMostTurns = 12;  // of a loop that doubles: a block has 1024 threads at most

/// By a sign outside of brackets.
std::vector<Tokens> split_at(const Tokens& tokens, std::string_view sign) {
  std::vector<Tokens> parts(1);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is(sign)) {
      parts.emplace_back();
      continue;
    }
    const std::size_t last =
        token.is("(") || token.is("[") || token.is("{") ? std::min(closing(tokens, i) + 1, tokens.size()) : i + 1;
    for (; i < last; ++i) parts.back().push_back(tokens[i]);
    --i;
  }
  return parts;
}

/// Runs statements on formulas. A false result: something in them cannot be followed.
class Body {
 public:
  explicit Body(const HostNames& names) : names_(names) {
    for (const auto& [name, value] : names.parameters) values_[name] = HostValue{{value}, {}};
  }

  /// Only statements that set it are run.
  void watch(std::string_view variable) { watched_ = variable; }
  const HostValue* value(std::string_view name) const {
    const auto variable = values_.find(std::string(name));
    return variable == values_.end() ? nullptr : &variable->second;
  }
  const std::optional<HostValue>& returned() const { return returned_; }

  bool run(const Tokens& tokens) {
    for (std::size_t i = 0; i < tokens.size() && !returned_;)
      if (!statement(tokens, i)) return false;
    return true;
  }

 private:
  bool statement(const Tokens& tokens, std::size_t& i) {
    if (tokens[i].is(";") || tokens[i].kind == Token::Kind::directive) return ++i, true;
    if (tokens[i].is("{")) {
      const std::size_t close = std::min(closing(tokens, i), tokens.size());
      const Tokens inner = part(tokens, i + 1, close);
      i = close + 1;
      return run(inner);
    }
    if (tokens[i].is("if")) return branch(tokens, i);
    if (tokens[i].is("while")) return loop(tokens, i);
    const std::size_t end = end_of(tokens, i);
    const Tokens one = part(tokens, i, std::min(end, tokens.size()));
    i = end + 1;
    return is_passed_over(one) || simple(one);
  }

  static std::size_t end_of(const Tokens& tokens, std::size_t i) {
    while (i < tokens.size() && !tokens[i].is(";"))
      i = tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("[") ? closing(tokens, i) + 1 : i + 1;
    return std::min(i, tokens.size());
  }

  static std::size_t end_of_statement(const Tokens& tokens, std::size_t i) {
    if (i >= tokens.size()) return tokens.size();
    if (tokens[i].is("{")) return std::min(closing(tokens, i) + 1, tokens.size());
    return std::min(end_of(tokens, i) + 1, tokens.size());
  }

  bool is_passed_over(const Tokens& statement) const { return !watched_.empty() && !sets_watched(statement); }

  /// "n" or, of a field, "grid.x"; "": a part of another name.
  static std::string name_at(const Tokens& tokens, std::size_t i) {
    if (i > 1 && tokens[i - 1].is(".") && tokens[i - 2].is_word())
      return std::string(tokens[i - 2].text) + "." + std::string(tokens[i].text);
    return i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->")) ? "" : std::string(tokens[i].text);
  }

  static bool is_set_at(const Tokens& tokens, std::size_t i) {
    if (i + 1 >= tokens.size() || name_at(tokens, i).empty()) return false;
    for (const char* sign : {"=", "+=", "-=", "*=", "/=", "++", "--"})
      if (tokens[i + 1].is(sign)) return true;
    return i + 2 < tokens.size() &&
           ((tokens[i + 1].is("<<") && tokens[i + 2].is("=")) || (tokens[i + 1].is(">") && tokens[i + 2].is(">=")));
  }

  bool simple(const Tokens& statement) {
    if (statement.empty()) return true;
    if (statement[0].is("return")) {
      returned_ = value_of(part(statement, 1, statement.size()));
      return returned_.has_value();
    }
    if (statement[0].is("assert") || statement[0].is("TORCH_CHECK") || statement[0].is("using")) return true;
    const std::vector<Tokens> parts = split_at(statement, ",");
    for (const Tokens& piece : parts)
      if (!set(piece)) return false;
    return true;
  }

  /// `int n = e`, `n = e`, `n *= e`, `dim3 grid(a, b)`, `n /= 2`
  bool set(const Tokens& tokens) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (!tokens[i].is_word()) continue;
      const std::string name = name_at(tokens, i);
      if (tokens[i + 1].is("=") && !name.empty()) {
        auto value = value_of(part(tokens, i + 2, tokens.size()));
        if (!value) return false;
        if (i > 0 && tokens[i - 1].is_word()) types_[name] = tokens[i - 1].text;
        if (value->numbers.size() == 1) value->numbers[0] = as_type(value->numbers[0], type_of(name));
        values_[name] = *value;
        return true;
      }
      if (i > 0 && tokens[i - 1].is("dim3") && (tokens[i + 1].is("(") || tokens[i + 1].is("{"))) {
        const auto value = numbers_of(part(tokens, i + 2, closing(tokens, i + 1)));
        if (!value) return false;
        values_[name] = *value;
        return true;
      }
      if (is_set_at(tokens, i)) return changed(tokens, i, name);
    }
    return false;
  }

  bool changed(const Tokens& tokens, std::size_t i, const std::string& name) {
    const HostValue* const before = value(name);
    if (before == nullptr || before->numbers.size() != 1) return false;
    const std::string_view sign = tokens[i + 1].text;
    const bool shift = sign == "<<" || sign == ">", one = sign == "++" || sign == "--";
    const FormulaPtr old = before->numbers[0],
                     by = one ? number(1) : read(part(tokens, i + (shift ? 3 : 2), tokens.size()));
    if (!by) return false;
    FormulaPtr now;
    if (shift) now = shifted(old, by, sign == "<<");
    else if (sign == "/=") now = divided(old, by);
    else if (sign == "*=") now = formula(Op::multiply, {old, by});
    else now = formula(sign == "+=" || sign == "++" ? Op::add : Op::subtract, {old, by});
    values_[name] = HostValue{{as_type(now, type_of(name))}, {}};
    return now != nullptr;
  }

  std::string_view type_of(const std::string& name) const {
    const auto type = types_.find(name);
    return type == types_.end() ? std::string_view() : type->second;
  }

  /// Behind an `else` at `i` and what belongs to it, also `else if` and what follows that; `i`: there is none.
  static std::size_t end_of_else(const Tokens& tokens, std::size_t i) {
    if (i >= tokens.size() || !tokens[i].is("else")) return i;
    std::size_t last = i + 1;
    if (last >= tokens.size() || !tokens[last].is("if")) return end_of_statement(tokens, last);
    while (last < tokens.size() && tokens[last].is("if")) {
      last = end_of_statement(tokens, closing(tokens, last + 1) + 1);
      if (last + 1 < tokens.size() && tokens[last].is("else"))
        last = tokens[last + 1].is("if") ? last + 1 : end_of_statement(tokens, last + 1);
    }
    return last;
  }

  /// The condition, then both ways; a variable that they leave differently is chosen by the condition.
  bool branch(const Tokens& tokens, std::size_t& i) {
    std::size_t open = i + 1;
    if (open < tokens.size() && tokens[open].is("constexpr")) ++open;
    if (open >= tokens.size() || !tokens[open].is("(")) return false;
    const std::size_t close = closing(tokens, open);
    if (close + 1 >= tokens.size()) return false;
    if (tokens[close + 1].is("{") && closing(tokens, close + 1) == tokens.size()) {  // what is asked for stands in it
      i = tokens.size();
      return run(part(tokens, close + 2, tokens.size()));
    }
    const std::size_t end = end_of_statement(tokens, close + 1);
    const Tokens condition = part(tokens, open + 1, close), yes = part(tokens, close + 1, end);
    i = end_of_else(tokens, end);
    const Tokens no = i > end ? part(tokens, end + 1, i) : Tokens();
    if (!watched_.empty() && !sets_watched(yes) && !sets_watched(no)) return true;
    Body as_yes = *this, as_no = *this;
    if (!as_yes.run(yes) || !as_no.run(no)) return false;
    if (as_yes.returned_) {  // the rest of the body is the other way
      if (!as_no.returned_ && !as_no.run(part(tokens, i, tokens.size()))) return false;
      if (!as_no.returned_) return false;
      returned_ = chosen(condition, *as_yes.returned_, *as_no.returned_);
      return returned_.has_value();
    }
    return !as_no.returned_ && merge(condition, as_yes, as_no);
  }

  /// Each variable is what it is in `yes` where the condition holds.
  bool merge(const Tokens& condition, const Body& yes, const Body& no) {
    std::map<std::string, HostValue> merged;
    for (const auto& [name, value] : yes.values_) {
      const auto other = no.values_.find(name);
      if (other == no.values_.end()) continue;  // `int n;` before, and one way leaves it so
      const auto one = chosen(condition, value, other->second);
      if (!one) return false;
      merged[name] = *one;
    }
    values_ = std::move(merged);
    return true;
  }

  bool sets_watched(const Tokens& tokens) const {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
      if (tokens[i].is_word() && is_set_at(tokens, i) && name_at(tokens, i) == watched_) return true;
    return false;
  }

  /// `while (threads < n && threads < 512) threads *= 2;`: as often as a number that is known allows.
  bool loop(const Tokens& tokens, std::size_t& i) {
    if (i + 1 >= tokens.size() || !tokens[i + 1].is("(")) return false;
    const std::size_t close = closing(tokens, i + 1);
    if (close + 1 >= tokens.size()) return false;
    const std::size_t end = end_of_statement(tokens, close + 1);
    const Tokens condition = part(tokens, i + 2, close), body = part(tokens, close + 1, end);
    i = end;
    if (!watched_.empty() && !sets_watched(body)) return true;
    return turn(condition, body, 0);
  }

  bool turn(const Tokens& condition, const Tokens& body, int count) {
    const FormulaPtr holds = truth(condition);
    if (!holds) return false;
    if (holds->kind == Op::number && holds->number == 0) return true;
    if (count == kMostTurns) return holds->kind != Op::number;  // beyond what a block can have
    Body further = *this;
    if (!further.run(body) || further.returned_ || !further.turn(condition, body, count + 1)) return false;
    return merge(condition, further, Body(*this));
  }

  /// A condition as a number: 0 where it does not hold. `a && b` is a product.
  FormulaPtr truth(const Tokens& condition) const {
    FormulaPtr any;
    for (const Tokens& piece : split_at(condition, "||")) {
      FormulaPtr all;
      for (const Tokens& one : split_at(piece, "&&")) {
        const FormulaPtr holds = read(one);
        if (!holds) return nullptr;
        if (holds->kind == Op::number && holds->number == 0) {
          all = holds;
          break;
        }
        all = all ? formula(Op::multiply, {all, holds}) : holds;
      }
      any = any ? formula(Op::max, {any, all}) : all;
    }
    return any;
  }

  /// `a && b ? x : y` is a ? (b ? x : y) : y, which a manifest can say.
  FormulaPtr select(const Tokens& condition, const FormulaPtr& yes, const FormulaPtr& no) const {
    if (equal(*yes, *no)) return yes;
    const std::vector<Tokens> any = split_at(condition, "||");
    FormulaPtr result = no;
    for (auto condition_part = any.rbegin(); condition_part != any.rend(); ++condition_part) {
      FormulaPtr inner = yes;
      const std::vector<Tokens> all = split_at(*condition_part, "&&");
      for (auto one = all.rbegin(); one != all.rend(); ++one) {
        const FormulaPtr holds = read(*one);
        if (!holds) return nullptr;
        if (holds->kind == Op::number) inner = holds->number != 0 ? inner : result;
        else inner = bounded(holds, inner, result);
      }
      result = inner;
    }
    return result;
  }

  /// min(a, b) where that is what a comparison chooses.
  static FormulaPtr bounded(const FormulaPtr& holds, const FormulaPtr& yes, const FormulaPtr& no) {
    if (equal(*yes, *no)) return yes;
    if (holds->kind == Op::lt || holds->kind == Op::le) {
      const FormulaPtr &less = holds->operands[0], &more = holds->operands[1];
      if (equal(*yes, *less) && equal(*no, *more)) return formula(Op::min, {no, yes});
      if (equal(*yes, *more) && equal(*no, *less)) return formula(Op::max, {no, yes});
    }
    return formula(Op::select, {holds, yes, no});
  }

  std::optional<HostValue> chosen(const Tokens& condition, const HostValue& yes, const HostValue& no) const {
    HostValue result;
    if (yes.numbers.size() != no.numbers.size() || yes.fields.size() != no.fields.size()) return std::nullopt;
    for (std::size_t i = 0; i < yes.numbers.size(); ++i) {
      result.numbers.push_back(select(condition, yes.numbers[i], no.numbers[i]));
      if (!result.numbers.back()) return std::nullopt;
    }
    for (std::size_t i = 0; i < yes.fields.size(); ++i) {
      const auto field = chosen(condition, yes.fields[i], no.fields[i]);
      if (!field) return std::nullopt;
      result.fields.push_back(*field);
    }
    return result;
  }

  /// An expression, dim3(a, b), {a, b}, or a variable that holds one of these.
  std::optional<HostValue> value_of(const Tokens& tokens) const {
    if (tokens.empty()) return std::nullopt;
    if (tokens.size() == 1)
      if (const HostValue* const variable = value(tokens[0].text)) return *variable;
    if (tokens.size() > 2 && tokens[0].is("dim3") && closing(tokens, 1) + 1 == tokens.size())
      return numbers_of(part(tokens, 2, tokens.size() - 1));
    const std::size_t brace = tokens[0].is("{") ? 0 : 1;  // {a, b} or Shape{a, b}
    if (tokens.size() > brace + 1 && tokens[brace].is("{") && closing(tokens, brace) + 1 == tokens.size()) {
      HostValue result;
      for (const Tokens& piece : split_at(part(tokens, brace + 1, tokens.size() - 1), ",")) {
        const auto field = value_of(piece);
        if (!field) return std::nullopt;
        result.fields.push_back(*field);
      }
      return result;
    }
    const FormulaPtr one = read(tokens);
    if (!one) return std::nullopt;
    return HostValue{{one}, {}};
  }

  std::optional<HostValue> numbers_of(const Tokens& tokens) const {
    HostValue result;
    for (const Tokens& piece : split_at(tokens, ",")) {
      const FormulaPtr one = read(piece);
      if (!one) return std::nullopt;
      result.numbers.push_back(one);
    }
    return result;
  }

  FormulaPtr read(const Tokens& tokens) const {
    Meaning meaning = names_.outside;
    meaning.of = [&](const std::string& text) -> FormulaPtr {
      if (const HostValue* const variable = value(text))
        return variable->numbers.size() == 1 ? variable->numbers[0] : nullptr;
      if (const std::size_t dot = text.find('.'); dot != std::string::npos)  // grid.x
        if (const HostValue* const variable = value(text.substr(0, dot));
            variable != nullptr && !variable->numbers.empty()) {
          const std::string axis = text.substr(dot + 1);
          const std::size_t index = axis == "x" ? 0 : axis == "y" ? 1 : 2;
          return index < variable->numbers.size() ? variable->numbers[index] : number(1);
        }
      return names_.outside.of ? names_.outside.of(text) : nullptr;
    };
    return read_formula(tokens, meaning);
  }

  const HostNames& names_;
  std::map<std::string, HostValue> values_;
  std::optional<HostValue> returned_;
  std::map<std::string, std::string_view> types_;
  std::string_view watched_;
};

}  // namespace

std::optional<HostValue> returned_by(const std::vector<Token>& body, const HostNames& names) {
  Body run(names);
  if (!run.run(body)) return std::nullopt;
  return run.returned();
}

FormulaPtr left_in(const std::vector<Token>& statements, std::string_view variable, const HostNames& names) {
  Body run(names);
  run.watch(variable);
  if (!run.run(statements)) return nullptr;
  const HostValue* const value = run.value(variable);
  return value != nullptr && value->numbers.size() == 1 ? value->numbers[0] : nullptr;
}

}  // namespace harness::adopt
