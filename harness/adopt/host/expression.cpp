#include "harness/adopt/host/expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "harness/adopt/source/element_type.h"
#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

/// The terms of a sum with their signs, and its constant.
void flatten(const FormulaPtr& f, int sign, std::vector<std::pair<int, FormulaPtr>>& terms, double& constant) {
  if (f->kind == Op::add || f->kind == Op::subtract) {
    flatten(f->operands[0], sign, terms, constant);
    flatten(f->operands[1], f->kind == Op::add ? sign : -sign, terms, constant);
  } else if (f->kind == Op::number) {
    constant += sign * f->number;
  } else {
    terms.emplace_back(sign, f);
  }
}

FormulaPtr sum(const std::vector<std::pair<int, FormulaPtr>>& terms) {
  FormulaPtr total;
  for (const auto& [sign, term] : terms) {
    if (total) total = formula(sign > 0 ? Op::add : Op::subtract, {total, term});
    else total = sign > 0 ? term : formula(Op::subtract, {number(0), term});
  }
  return total ? total : number(0);
}

/// (a + b - 1) / b is cdiv(a, b).
FormulaPtr as_cdiv(const FormulaPtr& above, const FormulaPtr& below) {
  std::vector<std::pair<int, FormulaPtr>> terms;
  double constant = 0;
  flatten(above, 1, terms, constant);
  if (terms.empty()) return nullptr;
  if (below->kind == Op::number) {
    if (below->number < 2 || constant != below->number - 1) return nullptr;
    return formula(Op::cdiv, {sum(terms), below});
  }
  if (constant != -1) return nullptr;
  const auto same = std::find_if(terms.begin(), terms.end(),
                                 [&](const auto& term) { return term.first > 0 && equal(*term.second, *below); });
  if (same == terms.end() || terms.size() < 2) return nullptr;
  terms.erase(same);
  return formula(Op::cdiv, {sum(terms), below});
}

FormulaPtr remainder(const FormulaPtr& above, const FormulaPtr& below) {
  if (!below) return nullptr;
  const bool numbers = above->kind == Op::number && below->kind == Op::number;
  if (numbers && below->number != 0) return number(std::fmod(above->number, below->number));
  return formula(Op::modulo, {above, below});
}

/// The same formula as a value of a floating type.
FormulaPtr as_floating(const FormulaPtr& value) {
  if (!value || value->floating) return value;
  auto floating = std::make_shared<Formula>(*value);
  floating->floating = true;
  return floating;
}

/// What is computed from two values is of a floating type where one of them is.
FormulaPtr joined(Op kind, const FormulaPtr& left, const FormulaPtr& right) {
  if (!left || !right) return nullptr;
  const FormulaPtr value = formula(kind, {left, right});
  const bool compares =
      kind == Op::eq || kind == Op::ne || kind == Op::lt || kind == Op::le || kind == Op::all_of || kind == Op::any_of;
  return !compares && (left->floating || right->floating) ? as_floating(value) : value;
}

/// n * 0.5 is n / 2.
FormulaPtr times(const FormulaPtr& left, const FormulaPtr& right) {
  if (!left || !right) return nullptr;
  for (const auto& [part, whole] : {std::pair{left, right}, std::pair{right, left}}) {
    const double inverse = part->kind == Op::number && part->number > 0 ? 1 / part->number : 0;
    if (whole->kind != Op::number && inverse > 1 && inverse == std::floor(inverse))
      return divided(as_floating(whole), number(inverse));
  }
  return joined(Op::multiply, left, right);
}

enum class Rounding { down, up };

/// floor() and ceil() of a value, which may be a quotient of sizes; nullptr: of another one that is not whole.
FormulaPtr rounded(const FormulaPtr& value, Rounding rounding) {
  const bool up = rounding == Rounding::up;
  if (value->kind == Op::number) return number(up ? std::ceil(value->number) : std::floor(value->number));
  if (value->kind == Op::ratio) return formula(up ? Op::cdiv : Op::divide, value->operands);
  return is_whole(*value) ? value : nullptr;
}

/// Functions of <cmath> of one number.
FormulaPtr of_number(std::string_view name, double x) {
  static const std::map<std::string_view, double (*)(double), std::less<>> functions{
      {"sqrt", std::sqrt}, {"exp", std::exp},     {"log", std::log},
      {"log2", std::log2}, {"exp2", std::exp2},   {"fabs", std::fabs},
      {"abs", std::fabs},  {"round", std::round}, {"rsqrt", [](double value) { return 1 / std::sqrt(value); }}};
  auto function = functions.find(name);
  if (function == functions.end() && name.ends_with("f")) function = functions.find(name.substr(0, name.size() - 1));
  return function == functions.end() ? nullptr : as_floating(number(function->second(x)));
}

bool is_floating_type(std::string_view type) {
  return type == "float" || type == "double" || type == "half" || type == "__half";
}

}  // namespace

bool is_number_type(std::string_view word) {
  static const std::set<std::string_view> others{"signed", "ptrdiff_t", "std", "::"};
  return others.contains(word) || dtype_of_type(std::string(word)).has_value();
}

FormulaPtr divided(const FormulaPtr& above, const FormulaPtr& below) {
  if (!above || !below) return nullptr;
  const bool numbers = above->kind == Op::number && below->kind == Op::number && below->number != 0;
  if (above->floating || below->floating) {
    if (numbers) return as_floating(number(above->number / below->number));
    if (below->kind == Op::number && below->number == 1) return as_floating(above);
    return as_floating(formula(Op::ratio, {above, below}));
  }
  if (numbers) return number(std::trunc(above->number / below->number));
  if (const FormulaPtr quotient = as_cdiv(above, below)) return quotient;
  return formula(Op::divide, {above, below});
}

FormulaPtr shifted(const FormulaPtr& value, const FormulaPtr& by, bool left) {
  if (!value || !by || by->kind != Op::number || by->number < 0 || by->number > 62) return nullptr;
  const FormulaPtr power = number(std::ldexp(1.0, static_cast<int>(by->number)));
  return left ? formula(Op::multiply, {value, power}) : divided(value, power);
}

FormulaPtr as_type(const FormulaPtr& value, std::string_view type) {
  if (!value || type.empty()) return value;
  if (is_floating_type(type)) return as_floating(value);
  if (!value->floating || !is_number_type(type)) return value;
  if (value->kind == Op::number) return number(std::trunc(value->number));
  if (value->kind == Op::ratio) return formula(Op::divide, value->operands);
  auto whole = std::make_shared<Formula>(*value);
  whole->floating = false;
  return whole;
}

namespace {

/// Reads C++ by recursive descent. A null result: it is none that can be read.
class Reader {
 public:
  Reader(const std::vector<Token>& tokens, const Meaning& meaning) : tokens_(tokens), meaning_(meaning) {}

  FormulaPtr read() {
    const FormulaPtr whole = ternary();
    return at_ == tokens_.size() ? whole : nullptr;
  }

 private:
  bool is(std::string_view text, std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() && tokens_[at_ + ahead].is(text);
  }
  bool take(std::string_view text) {
    if (!is(text)) return false;
    ++at_;
    return true;
  }

  FormulaPtr ternary() {
    const FormulaPtr condition = any_of();
    if (!condition || !take("?")) return condition;
    const FormulaPtr yes = ternary();
    if (!yes || !take(":")) return nullptr;
    const FormulaPtr no = ternary();
    return no ? formula(Op::select, {condition, yes, no}) : nullptr;
  }

  FormulaPtr any_of() {
    FormulaPtr left = all_of();
    while (left && take("||")) left = joined(Op::any_of, left, all_of());
    return left;
  }

  FormulaPtr all_of() {
    FormulaPtr left = bits();
    while (left && take("&&")) left = joined(Op::all_of, left, bits());
    return left;
  }

  /// `n & 31` is what is left over, `n & ~31` what is whole; other bits of sizes are no formulas.
  FormulaPtr bits() {
    FormulaPtr left = comparison();
    while (left && (is("&") || is("|") || is("^"))) {
      const std::string sign(tokens_[at_++].text);
      const FormulaPtr right = comparison();
      if (!right || right->kind != Op::number) return nullptr;
      const auto mask = static_cast<std::int64_t>(right->number);
      const auto is_power = [](std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; };
      if (left->kind == Op::number) {
        const auto own = static_cast<std::int64_t>(left->number);
        left = number(static_cast<double>(sign == "&" ? own & mask : sign == "|" ? own | mask : own ^ mask));
      } else if (sign == "&" && is_power(mask + 1)) {
        left = formula(Op::modulo, {left, number(static_cast<double>(mask + 1))});
      } else if (sign == "&" && is_power(-mask)) {
        const FormulaPtr step = number(static_cast<double>(-mask));
        left = formula(Op::multiply, {divided(left, step), step});
      } else {
        return nullptr;
      }
    }
    return left;
  }

  FormulaPtr comparison() {
    FormulaPtr left = shift();
    struct Operator {
      const char* text;
      Op kind;
      bool swapped;
    };
    for (const Operator& sign :
         {Operator{"==", Op::eq, false}, Operator{"!=", Op::ne, false}, Operator{"<=", Op::le, false},
          Operator{">=", Op::le, true}, Operator{"<", Op::lt, false}, Operator{">", Op::lt, true}}) {
      if (!left || !take(sign.text)) continue;
      const FormulaPtr right = shift();
      left = sign.swapped ? joined(sign.kind, right, left) : joined(sign.kind, left, right);
    }
    return left;
  }

  FormulaPtr shift() {
    FormulaPtr left = additive();
    while (left) {
      const bool right = is(">") && is(">", 1) && tokens_[at_].end == tokens_[at_ + 1].begin;
      if (right) at_ += 2;
      else if (!take("<<")) break;
      left = shifted(left, additive(), !right);
    }
    return left;
  }

  FormulaPtr additive() {
    FormulaPtr left = term();
    while (left) {
      if (take("+")) left = joined(Op::add, left, term());
      else if (take("-")) left = joined(Op::subtract, left, term());
      else break;
    }
    return left;
  }

  FormulaPtr term() {
    FormulaPtr left = unary();
    while (left) {
      if (take("*")) left = times(left, unary());
      else if (take("%")) left = remainder(left, unary());
      else if (take("/")) left = divided(left, unary());
      else break;
    }
    return left;
  }

  FormulaPtr unary() {
    if (take("-")) return joined(Op::subtract, number(0), unary());
    if (take("+")) return unary();
    if (take("!")) return joined(Op::eq, unary(), number(0));
    if (take("~")) {
      const FormulaPtr inner = unary();
      return inner && inner->kind == Op::number ? number(-inner->number - 1) : nullptr;
    }
    if (is("(") && is_cast()) {
      const std::size_t close = closing(tokens_, at_);
      const std::string_view type = tokens_[close - 1].text;
      at_ = close + 1;
      return as_type(unary(), type);
    }
    return postfix();
  }

  /// (int), (size_t), (unsigned long long)
  bool is_cast() const {
    const std::size_t close = closing(tokens_, at_);
    if (close == at_ + 1 || close + 1 >= tokens_.size()) return false;
    return std::all_of(tokens_.begin() + static_cast<std::ptrdiff_t>(at_) + 1,
                       tokens_.begin() + static_cast<std::ptrdiff_t>(close),
                       [](const Token& token) { return is_number_type(token.text); });
  }

  FormulaPtr postfix() {
    if (at_ >= tokens_.size()) return nullptr;
    const Token& first = tokens_[at_];
    if (first.kind == Token::Kind::number) return literal();
    if (take("(")) {
      const FormulaPtr inner = ternary();
      return inner && take(")") ? inner : nullptr;
    }
    if (!first.is_word()) return nullptr;
    if (take("true")) return number(1);
    if (take("false")) return number(0);
    if (first.is("sizeof")) return size_of();
    if (first.is("static_cast") || (is_number_type(first.text) && (is("(", 1) || is("{", 1)))) return cast();
    return chain();
  }

  FormulaPtr literal() {
    std::string text(tokens_[at_++].text);
    std::erase(text, '\'');
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (!hexadecimal && text.find_first_of(".eE") != std::string::npos)
      return as_floating(number(std::strtod(text.c_str(), nullptr)));
    return number(static_cast<double>(std::strtoll(text.c_str(), nullptr, 0)));
  }

  FormulaPtr size_of() {
    ++at_;
    if (!is("(")) return nullptr;
    const std::size_t close = closing(tokens_, at_);
    if (close >= tokens_.size()) return nullptr;
    std::string type;
    for (std::size_t i = at_ + 1; i < close; ++i) type += (type.empty() ? "" : " ") + std::string(tokens_[i].text);
    at_ = close + 1;
    return meaning("sizeof " + type);
  }

  /// static_cast<int>(e), int(e), int{e}
  FormulaPtr cast() {
    std::string_view type = tokens_[at_++].text;
    if (is("<"))
      while (at_ < tokens_.size() && !take(">")) type = tokens_[at_++].text;
    const bool braces = is("{");
    if (!take(braces ? "{" : "(")) return nullptr;
    const FormulaPtr inner = ternary();
    return inner && take(braces ? "}" : ")") ? as_type(inner, type) : nullptr;
  }

  /// name, name::other, x.size(0), f(a, b), f<int>(a)
  FormulaPtr chain() {
    std::string text(tokens_[at_++].text), last = text;
    bool member = false;
    for (;;) {
      if ((is("::") || is(".") || is("->")) && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is_word()) {
        member = member || !is("::");
        text += std::string(tokens_[at_].text) + std::string(tokens_[at_ + 1].text);
        last = tokens_[at_ + 1].text;
        at_ += 2;
      } else if (is("<") && call_follows()) {
        while (at_ < tokens_.size() && !take(">")) ++at_;
      } else if (is("(") || is("[")) {
        const std::size_t close = closing(tokens_, at_);
        if (close >= tokens_.size()) return nullptr;
        if (is("(") && !member) return call(last, close);
        for (std::size_t i = at_; i <= close; ++i) text += tokens_[i].text;
        at_ = close + 1;
      } else {
        return meaning(text);
      }
    }
  }

  /// std::max<int>(...)
  bool call_follows() const {
    for (std::size_t i = at_; i + 1 < tokens_.size() && i < at_ + 6; ++i)
      if (tokens_[i].is(">")) return tokens_[i + 1].is("(");
    return false;
  }

  /// What libraries call it: at::ceil_div, THCCeilDiv, ATenCeilDiv, divUp, iDivUp, DIV_UP.
  static bool is_cdiv(const std::string& name) {
    std::string plain;
    for (const char c : name)
      if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return plain == "cdiv" || plain == "ceildiv" || plain == "thcceildiv" || plain == "divup" || plain == "idivup" ||
           plain == "divceil" || plain == "atenceildiv";
  }

  FormulaPtr call(const std::string& name, std::size_t close) {
    const std::size_t open = at_++;
    std::vector<FormulaPtr> arguments;
    while (at_ < close) {
      const FormulaPtr argument = ternary();
      if (!argument) return nullptr;
      arguments.push_back(argument);
      if (at_ < close && !take(",")) return nullptr;
    }
    at_ = close + 1;
    const bool least = name == "min" || name == "least_of";  // harness/adopted.cuh has the second
    if ((least || name == "max" || name == "most_of") && arguments.size() == 2)
      return joined(least ? Op::min : Op::max, arguments[0], arguments[1]);
    if ((name == "cdiv" || name == "round_up") && arguments.size() == 2)
      return formula(name == "cdiv" ? Op::cdiv : Op::round_up, arguments);
    if ((name == "ceil" || name == "ceilf") && arguments.size() == 1) return rounded(arguments[0], Rounding::up);
    if ((name == "floor" || name == "floorf") && arguments.size() == 1) return rounded(arguments[0], Rounding::down);
    if (arguments.size() == 1 && arguments[0]->kind == Op::number)
      if (const FormulaPtr value = of_number(name, arguments[0]->number)) return value;
    if ((name == "pow" || name == "powf") && arguments.size() == 2 && arguments[0]->kind == Op::number &&
        arguments[1]->kind == Op::number)
      return as_floating(number(std::pow(arguments[0]->number, arguments[1]->number)));
    if (meaning_.of_call)
      if (const FormulaPtr value = meaning_.of_call(name, arguments)) return value;
    if (is_cdiv(name) && arguments.size() == 2) return formula(Op::cdiv, arguments);
    std::string text = name;
    for (std::size_t i = open; i <= close; ++i) text += tokens_[i].text;
    return meaning(text);
  }

  FormulaPtr meaning(const std::string& text) const {
    if (meaning_.of)
      if (const FormulaPtr value = meaning_.of(text)) return value;
    int lanes = 1;
    if (text.starts_with("sizeof "))
      if (const auto dtype = dtype_of_type(text.substr(7), &lanes)) return number(storage_bytes(*dtype) * lanes);
    return symbol(text);
  }

  const std::vector<Token>& tokens_;
  const Meaning& meaning_;
  std::size_t at_ = 0;
};

}  // namespace

FormulaPtr read_formula(const std::vector<Token>& tokens, const Meaning& meaning) {
  return tokens.empty() ? nullptr : Reader(tokens, meaning).read();
}

}  // namespace harness::adopt
