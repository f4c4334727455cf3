#include "harness/adopt/host/expression.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

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

FormulaPtr divide(const FormulaPtr& above, const FormulaPtr& below) {
  const bool numbers = above->kind == Op::number && below->kind == Op::number;
  if (numbers && is_whole(*above) && is_whole(*below) && below->number != 0)
    return number(std::trunc(above->number / below->number));
  if (const FormulaPtr rounded = as_cdiv(above, below)) return rounded;
  return formula(Op::divide, {above, below});
}

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
    const FormulaPtr condition = comparison();
    if (!condition || !take("?")) return condition;
    const FormulaPtr yes = ternary();
    if (!yes || !take(":")) return nullptr;
    const FormulaPtr no = ternary();
    return no ? formula(Op::select, {condition, yes, no}) : nullptr;
  }

  FormulaPtr comparison() {
    FormulaPtr left = additive();
    struct Operator {
      const char* text;
      Op kind;
      bool swapped;
    };
    for (const Operator& sign :
         {Operator{"==", Op::eq, false}, Operator{"!=", Op::ne, false}, Operator{"<=", Op::le, false},
          Operator{">=", Op::le, true}, Operator{"<", Op::lt, false}, Operator{">", Op::lt, true}}) {
      if (!left || !take(sign.text)) continue;
      const FormulaPtr right = additive();
      if (!right) return nullptr;
      return sign.swapped ? formula(sign.kind, {right, left}) : formula(sign.kind, {left, right});
    }
    return left;
  }

  FormulaPtr additive() {
    FormulaPtr left = term();
    while (left) {
      if (take("+")) left = joined(Op::add, left, term());
      else if (take("-")) left = joined(Op::subtract, left, term());
      else if (take("<<")) left = shifted(left, term());
      else break;
    }
    return left;
  }

  FormulaPtr term() {
    FormulaPtr left = unary();
    while (left) {
      if (take("*")) left = joined(Op::multiply, left, unary());
      else if (take("%")) left = remainder(left, unary());
      else if (take("/")) {
        const FormulaPtr right = unary();
        left = right ? divide(left, right) : nullptr;
      } else break;
    }
    return left;
  }

  static FormulaPtr joined(Op kind, const FormulaPtr& left, const FormulaPtr& right) {
    return right ? formula(kind, {left, right}) : nullptr;
  }
  static FormulaPtr shifted(const FormulaPtr& left, const FormulaPtr& right) {
    if (!right || right->kind != Op::number) return nullptr;
    return formula(Op::multiply, {left, number(std::ldexp(1.0, static_cast<int>(right->number)))});
  }

  FormulaPtr unary() {
    if (take("-")) return joined(Op::subtract, number(0), unary());
    if (take("+")) return unary();
    if (is("(") && is_cast()) {
      at_ = closing(tokens_, at_) + 1;
      return unary();
    }
    return postfix();
  }

  /// (int), (size_t), (unsigned long long)
  bool is_cast() const {
    static const std::set<std::string, std::less<>> types{
        "int", "unsigned", "long", "short", "size_t", "float", "double", "int64_t", "int32_t", "uint32_t", "uint64_t"};
    const std::size_t close = closing(tokens_, at_);
    if (close == at_ + 1 || close + 1 >= tokens_.size()) return false;
    return std::all_of(tokens_.begin() + static_cast<std::ptrdiff_t>(at_) + 1,
                       tokens_.begin() + static_cast<std::ptrdiff_t>(close),
                       [](const Token& token) { return types.contains(token.text); });
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
    if (first.is("sizeof")) return size_of();
    if (first.is("static_cast") || first.is("int") || first.is("size_t") || first.is("unsigned") ||
        first.is("uint32_t") || first.is("int64_t"))
      return cast();
    return chain();
  }

  FormulaPtr literal() {
    std::string text(tokens_[at_++].text);
    std::erase(text, '\'');
    if (text.find_first_of(".eE") != std::string::npos && !text.starts_with("0x"))
      return number(std::strtod(text.c_str(), nullptr));
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

  /// static_cast<int>(e), int(e)
  FormulaPtr cast() {
    ++at_;
    if (is("<"))
      while (at_ < tokens_.size() && !take(">")) ++at_;
    if (!take("(")) return nullptr;
    const FormulaPtr inner = ternary();
    return inner && take(")") ? inner : nullptr;
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

  /// What libraries call it: at::ceil_div, THCCeilDiv, divUp, iDivUp, DIV_UP.
  static bool is_cdiv(const std::string& name) {
    std::string plain;
    for (const char c : name)
      if (c != '_') plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return plain == "cdiv" || plain == "ceildiv" || plain == "thcceildiv" || plain == "divup" || plain == "idivup" ||
           plain == "divceil";
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
      return formula(least ? Op::min : Op::max, arguments);
    if ((name == "cdiv" || name == "round_up") && arguments.size() == 2)
      return formula(name == "cdiv" ? Op::cdiv : Op::round_up, arguments);
    if ((name == "ceil" || name == "ceilf") && arguments.size() == 1)
      return arguments[0]->kind == Op::divide ? formula(Op::cdiv, arguments[0]->operands) : arguments[0];
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
    static const std::map<std::string, int, std::less<>> sizes{
        {"float", 4},    {"double", 8},       {"int", 4},           {"half", 2},    {"__half", 2},
        {"unsigned", 4}, {"unsigned int", 4}, {"char", 1},          {"short", 2},   {"long long", 8},
        {"int64_t", 8},  {"uint32_t", 4},     {"__nv_bfloat16", 2}, {"float4", 16}, {"float2", 8},
        {"uint4", 16},   {"int4", 16},        {"uint2", 8},         {"int2", 8},    {"double2", 16}};
    if (text.starts_with("sizeof "))
      if (const auto bytes = sizes.find(text.substr(7)); bytes != sizes.end()) return number(bytes->second);
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
