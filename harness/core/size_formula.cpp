#include "harness/core/size_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace harness::sizes {
namespace {

using Kind = Formula::Kind;
using Operands = std::vector<FormulaPtr>;

bool is_number(const FormulaPtr& f, double value) {
  return f->kind == Kind::number && f->number == value;
}

/// On numbers. Whole ones are divided downwards; fractions, which only a host's C++ has, are divided as they are.
double folded(Kind kind, const std::vector<double>& operands) {
  const double a = operands[0], b = operands.size() > 1 ? operands[1] : 0;
  const bool whole = a == std::floor(a) && b == std::floor(b);
  switch (kind) {
    case Kind::add:
      return a + b;
    case Kind::subtract:
      return a - b;
    case Kind::multiply:
      return a * b;
    case Kind::divide:
      return b == 0 ? NAN : whole ? std::floor(a / b) : a / b;
    case Kind::modulo:
      return b == 0 ? NAN : a - std::floor(a / b) * b;
    case Kind::cdiv:
      return b == 0 ? NAN : std::ceil(a / b);
    case Kind::round_up:
      return b == 0 ? NAN : std::ceil(a / b) * b;
    case Kind::min:
      return std::min(a, b);
    case Kind::max:
      return std::max(a, b);
    case Kind::eq:
      return a == b;
    case Kind::ne:
      return a != b;
    case Kind::lt:
      return a < b;
    case Kind::le:
      return a <= b;
    case Kind::all_of:
      return a != 0 && b != 0;
    case Kind::any_of:
      return a != 0 || b != 0;
    case Kind::select:
      return a != 0 ? b : operands[2];
    case Kind::number:
    case Kind::symbol:
    case Kind::ratio:
      break;
  }
  return NAN;
}

/// m % n > 0 or m % n != 0, beside m / n: together they are the quotient rounded up.
bool is_rest(const Formula& condition, const Formula& quotient) {
  if (quotient.kind != Kind::divide || condition.operands.size() != 2) return false;
  const bool above = condition.kind == Kind::lt && is_number(condition.operands[0], 0),
             other = condition.kind == Kind::ne && is_number(condition.operands[1], 0);
  if (!above && !other) return false;
  const Formula& rest = *condition.operands[above ? 1 : 0];
  return rest.kind == Kind::modulo && equal(*rest.operands[0], *quotient.operands[0]) &&
         equal(*rest.operands[1], *quotient.operands[1]);
}

/// The formula that a kind of these operands is already; nullptr: it is none of them.
FormulaPtr simplified(Kind kind, const Operands& operands) {
  if (kind == Kind::add && is_rest(*operands[1], *operands[0])) return formula(Kind::cdiv, operands[0]->operands);
  if (kind == Kind::multiply && is_number(operands[0], 1)) return operands[1];
  const bool by_one = kind == Kind::multiply || kind == Kind::divide || kind == Kind::cdiv;
  if (by_one && is_number(operands[1], 1)) return operands[0];
  if ((kind == Kind::add || kind == Kind::subtract) && is_number(operands[1], 0)) return operands[0];
  if (kind == Kind::add && is_number(operands[0], 0)) return operands[1];
  return nullptr;
}

}  // namespace

FormulaPtr number(double value) {
  Formula made;
  made.number = value;
  return std::make_shared<const Formula>(std::move(made));
}

FormulaPtr symbol(std::string name) {
  Formula made;
  made.kind = Kind::symbol;
  made.symbol = std::move(name);
  return std::make_shared<const Formula>(std::move(made));
}

FormulaPtr formula(Kind kind, Operands operands) {
  if (std::ranges::all_of(operands, [](const auto& operand) { return operand->kind == Kind::number; })) {
    std::vector<double> numbers;
    for (const FormulaPtr& operand : operands) numbers.push_back(operand->number);
    if (const double value = folded(kind, numbers); std::isfinite(value)) return number(value);
  }
  if (FormulaPtr simple = simplified(kind, operands)) return simple;
  Formula made;
  made.kind = kind;
  made.operands = std::move(operands);
  return std::make_shared<const Formula>(std::move(made));
}

std::vector<FormulaPtr> factors_of(const FormulaPtr& formula) {
  if (formula->kind != Kind::multiply) return {formula};
  std::vector<FormulaPtr> factors = factors_of(formula->operands[0]);
  for (const FormulaPtr& factor : factors_of(formula->operands[1])) factors.push_back(factor);
  return factors;
}

std::optional<std::int64_t> evaluate(const Formula& f, const Values& values) {
  if (f.kind == Kind::number) return static_cast<std::int64_t>(f.number);
  if (f.kind == Kind::symbol) {
    const auto value = values.find(f.symbol);
    return value == values.end() ? std::nullopt : std::optional(value->second);
  }
  std::vector<double> operands;
  for (const FormulaPtr& operand : f.operands) {
    const auto value = evaluate(*operand, values);
    if (!value) return std::nullopt;
    operands.push_back(static_cast<double>(*value));
  }
  const double value = folded(f.kind, operands);
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
  if (f.kind == Kind::symbol) symbols.insert(f.symbol);
  for (const FormulaPtr& operand : f.operands) symbols.merge(symbols_of(*operand));
  return symbols;
}

FormulaPtr with(const FormulaPtr& f, const std::map<std::string, FormulaPtr>& replaced) {
  if (f->kind == Kind::number) return f;
  if (f->kind == Kind::symbol) {
    const auto other = replaced.find(f->symbol);
    return other == replaced.end() ? f : other->second;
  }
  Operands operands;
  for (const FormulaPtr& operand : f->operands) operands.push_back(with(operand, replaced));
  return formula(f->kind, std::move(operands));
}

bool is_whole(const Formula& f) {
  if (f.kind == Kind::ratio || f.number != std::floor(f.number)) return false;
  return std::ranges::all_of(f.operands, [](const FormulaPtr& operand) { return is_whole(*operand); });
}

bool may_be_negative(const Formula& f) {
  const auto negative = [&](std::size_t i) { return may_be_negative(*f.operands[i]); };
  switch (f.kind) {
    case Kind::number:
      return f.number < 0;
    case Kind::subtract:
      return true;
    case Kind::max:
      return negative(0) && negative(1);
    case Kind::select:
      return negative(1) || negative(2);
    case Kind::add:
    case Kind::multiply:
    case Kind::divide:
    case Kind::modulo:
    case Kind::cdiv:
    case Kind::round_up:
    case Kind::min:
    case Kind::ratio:
      return negative(0) || negative(1);
    default:
      return false;
  }
}

}  // namespace harness::sizes
