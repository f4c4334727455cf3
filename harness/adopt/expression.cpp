#include "harness/adopt/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace harness::adopt {
namespace {

bool is_number(const FormulaPtr& f, double value) {
  return f->kind == Op::number && f->number == value;
}

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
  const auto found = std::find_if(terms.begin(), terms.end(),
                                  [&](const auto& term) { return term.first > 0 && equal(*term.second, *below); });
  if (found == terms.end() || terms.size() < 2) return nullptr;
  terms.erase(found);
  return formula(Op::cdiv, {sum(terms), below});
}

FormulaPtr divide(const FormulaPtr& above, const FormulaPtr& below) {
  if (const FormulaPtr rounded = as_cdiv(above, below)) return rounded;
  return formula(Op::divide, {above, below});
}

double fold(Op kind, const std::vector<FormulaPtr>& operands) {
  const double a = operands[0]->number, b = operands.size() > 1 ? operands[1]->number : 0;
  switch (kind) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return b == 0 ? NAN : a == std::floor(a) && b == std::floor(b) ? std::trunc(a / b) : a / b;
    case Op::modulo:
      return b == 0 ? NAN : std::fmod(a, b);
    case Op::cdiv:
      return b == 0 ? NAN : std::ceil(a / b);
    case Op::round_up:
      return b == 0 ? NAN : std::ceil(a / b) * b;
    case Op::min:
      return std::min(a, b);
    case Op::max:
      return std::max(a, b);
    case Op::eq:
      return a == b;
    case Op::ne:
      return a != b;
    case Op::lt:
      return a < b;
    case Op::le:
      return a <= b;
    case Op::select:
      return a != 0 ? b : operands[2]->number;
    default:
      return NAN;
  }
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
    for (const Operator& each :
         {Operator{"==", Op::eq, false}, Operator{"!=", Op::ne, false}, Operator{"<=", Op::le, false},
          Operator{">=", Op::le, true}, Operator{"<", Op::lt, false}, Operator{">", Op::lt, true}}) {
      if (!left || !take(each.text)) continue;
      const FormulaPtr right = additive();
      if (!right) return nullptr;
      return each.swapped ? formula(each.kind, {right, left}) : formula(each.kind, {left, right});
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
      else if (take("%")) left = joined(Op::modulo, left, unary());
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
      if (const FormulaPtr known = meaning_.of_call(name, arguments)) return known;
    if (is_cdiv(name) && arguments.size() == 2) return formula(Op::cdiv, arguments);
    std::string text = name;
    for (std::size_t i = open; i <= close; ++i) text += tokens_[i].text;
    return meaning(text);
  }

  FormulaPtr meaning(const std::string& text) const {
    if (meaning_.of)
      if (const FormulaPtr known = meaning_.of(text)) return known;
    static const std::map<std::string, int, std::less<>> sizes{
        {"float", 4},    {"double", 8},       {"int", 4},           {"half", 2},    {"__half", 2},
        {"unsigned", 4}, {"unsigned int", 4}, {"char", 1},          {"short", 2},   {"long long", 8},
        {"int64_t", 8},  {"uint32_t", 4},     {"__nv_bfloat16", 2}, {"float4", 16}, {"float2", 8},
        {"uint4", 16},   {"int4", 16},        {"uint2", 8},         {"int2", 8},    {"double2", 16}};
    if (text.starts_with("sizeof "))
      if (const auto known = sizes.find(text.substr(7)); known != sizes.end()) return number(known->second);
    return symbol(text);
  }

  const std::vector<Token>& tokens_;
  const Meaning& meaning_;
  std::size_t at_ = 0;
};

int rank(Op kind) {
  switch (kind) {
    case Op::add:
    case Op::subtract:
      return 1;
    case Op::multiply:
    case Op::divide:
    case Op::modulo:
      return 2;
    default:
      return 3;
  }
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::fabs(value) < 9e15) return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

}  // namespace

FormulaPtr number(double value) {
  Formula made;
  made.number = value;
  return std::make_shared<const Formula>(std::move(made));
}

FormulaPtr symbol(std::string name) {
  Formula made;
  made.kind = Op::symbol;
  made.symbol = std::move(name);
  return std::make_shared<const Formula>(std::move(made));
}

namespace {

/// m % n > 0 or m % n != 0, beside m / n: together they are the quotient rounded up.
bool is_rest(const Formula& condition, const Formula& quotient) {
  if (quotient.kind != Op::divide || condition.operands.size() != 2) return false;
  const bool above = condition.kind == Op::lt && is_number(condition.operands[0], 0),
             other = condition.kind == Op::ne && is_number(condition.operands[1], 0);
  if (!above && !other) return false;
  const Formula& rest = *condition.operands[above ? 1 : 0];
  return rest.kind == Op::modulo && equal(*rest.operands[0], *quotient.operands[0]) &&
         equal(*rest.operands[1], *quotient.operands[1]);
}

}  // namespace

FormulaPtr formula(Formula::Kind kind, std::vector<FormulaPtr> operands) {
  if (std::all_of(operands.begin(), operands.end(), [](const auto& f) { return f->kind == Op::number; }))
    if (const double value = fold(kind, operands); std::isfinite(value)) return number(value);
  if (kind == Op::add && is_rest(*operands[1], *operands[0])) return formula(Op::cdiv, operands[0]->operands);
  if (kind == Op::multiply && is_number(operands[0], 1)) return operands[1];
  if ((kind == Op::multiply || kind == Op::divide || kind == Op::cdiv) && is_number(operands[1], 1)) return operands[0];
  if ((kind == Op::add || kind == Op::subtract) && is_number(operands[1], 0)) return operands[0];
  if (kind == Op::add && is_number(operands[0], 0)) return operands[1];
  Formula made;
  made.kind = kind;
  made.operands = std::move(operands);
  return std::make_shared<const Formula>(std::move(made));
}

std::vector<FormulaPtr> factors_of(const FormulaPtr& formula) {
  if (formula->kind != Op::multiply) return {formula};
  std::vector<FormulaPtr> factors = factors_of(formula->operands[0]);
  for (const FormulaPtr& each : factors_of(formula->operands[1])) factors.push_back(each);
  return factors;
}

std::optional<std::int64_t> evaluate(const Formula& f, const Values& values) {
  if (f.kind == Op::number) return static_cast<std::int64_t>(f.number);
  if (f.kind == Op::symbol) {
    const auto found = values.find(f.symbol);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
  std::vector<FormulaPtr> operands;
  for (const FormulaPtr& operand : f.operands) {
    const auto value = evaluate(*operand, values);
    if (!value) return std::nullopt;
    operands.push_back(number(static_cast<double>(*value)));
  }
  const double value = fold(f.kind, operands);
  return std::isfinite(value) ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
}

bool equal(const Formula& a, const Formula& b) {
  if (a.kind != b.kind || a.number != b.number || a.symbol != b.symbol || a.operands.size() != b.operands.size())
    return false;
  for (std::size_t i = 0; i < a.operands.size(); ++i)
    if (!equal(*a.operands[i], *b.operands[i])) return false;
  return true;
}

std::set<std::string> symbols_of(const Formula& f) {
  std::set<std::string> symbols;
  if (f.kind == Op::symbol) symbols.insert(f.symbol);
  for (const FormulaPtr& operand : f.operands) symbols.merge(symbols_of(*operand));
  return symbols;
}

std::string as_lua(const Formula& f, const std::function<std::string(const std::string&)>& name) {
  if (f.kind == Op::number) return number_text(f.number);
  if (f.kind == Op::symbol) return name(f.symbol);
  static const std::map<Op, const char*> calls{
      {Op::cdiv, "cdiv"}, {Op::min, "min"}, {Op::max, "max"},       {Op::eq, "eq"},
      {Op::lt, "lt"},     {Op::le, "le"},   {Op::select, "select"}, {Op::round_up, "round_up"}};
  if (f.kind == Op::ne) {
    const std::string inner = as_lua(*formula(Op::eq, f.operands), name);
    return fmt::format("none_of({})", inner);
  }
  if (const auto call = calls.find(f.kind); call != calls.end()) {
    std::string text;
    for (const FormulaPtr& operand : f.operands) text += (text.empty() ? "" : ", ") + as_lua(*operand, name);
    return fmt::format("{}({})", call->second, text);
  }
  const auto side = [&](const FormulaPtr& operand, bool right) {
    const std::string text = as_lua(*operand, name);
    const bool tighter = rank(operand->kind) > rank(f.kind) || (rank(operand->kind) == rank(f.kind) && !right);
    return tighter ? text : "(" + text + ")";
  };
  const char* const sign = f.kind == Op::add        ? "+"
                           : f.kind == Op::subtract ? "-"
                           : f.kind == Op::multiply ? "*"
                           : f.kind == Op::divide   ? "//"
                                                    : "%";
  return fmt::format("{} {} {}", side(f.operands[0], false), sign, side(f.operands[1], true));
}

std::string as_cpp(const Formula& f, const std::function<std::string(const std::string&)>& name) {
  if (f.kind == Op::number) return number_text(f.number);
  if (f.kind == Op::symbol) return name(f.symbol);
  std::vector<std::string> sides;
  for (const FormulaPtr& operand : f.operands) sides.push_back(as_cpp(*operand, name));
  const std::string &a = sides[0], &b = sides.size() > 1 ? sides[1] : a;
  static const std::map<Op, const char*> signs{{Op::add, "+"},    {Op::subtract, "-"}, {Op::multiply, "*"},
                                               {Op::divide, "/"}, {Op::modulo, "%"},   {Op::eq, "=="},
                                               {Op::ne, "!="},    {Op::lt, "<"},       {Op::le, "<="}};
  if (const auto sign = signs.find(f.kind); sign != signs.end()) return fmt::format("({} {} {})", a, sign->second, b);
  if (f.kind == Op::select) return fmt::format("({} ? {} : {})", a, b, sides.at(2));
  if (f.kind == Op::min || f.kind == Op::max)
    return fmt::format("({0} {2} {1} ? {0} : {1})", a, b, f.kind == Op::min ? "<" : ">");
  const std::string rounded = fmt::format("(({0} + {1} - 1) / {1})", a, b);
  return f.kind == Op::cdiv ? rounded : fmt::format("({} * {})", rounded, b);
}

FormulaPtr with(const FormulaPtr& f, const std::map<std::string, FormulaPtr>& replaced) {
  if (f->kind == Op::number) return f;
  if (f->kind == Op::symbol) {
    const auto found = replaced.find(f->symbol);
    return found == replaced.end() ? f : found->second;
  }
  std::vector<FormulaPtr> operands;
  for (const FormulaPtr& operand : f->operands) operands.push_back(with(operand, replaced));
  return formula(f->kind, std::move(operands));
}

FormulaPtr read_formula(const std::vector<Token>& tokens, const Meaning& meaning) {
  return tokens.empty() ? nullptr : Reader(tokens, meaning).read();
}

}  // namespace harness::adopt
