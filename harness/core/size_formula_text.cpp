// How a formula of sizes stands in Lua, in C++ and in JSON.
#include <fmt/format.h>

#include <cmath>

#include "harness/core/size_formula.h"

namespace harness::sizes {
namespace {

using Kind = Formula::Kind;

int rank(Kind kind) {
  switch (kind) {
    case Kind::add:
    case Kind::subtract:
      return 1;
    case Kind::multiply:
    case Kind::divide:
    case Kind::modulo:
    case Kind::ratio:
      return 2;
    default:
      return 3;
  }
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::fabs(value) < 9e15) return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", value);
}

const char* lua_sign(Kind kind) {
  switch (kind) {
    case Kind::add:
      return "+";
    case Kind::subtract:
      return "-";
    case Kind::multiply:
      return "*";
    case Kind::divide:
      return "//";
    case Kind::ratio:
      return "/";
    default:
      return "%";
  }
}

const char* cpp_sign(Kind kind) {
  switch (kind) {
    case Kind::add:
      return "+";
    case Kind::subtract:
      return "-";
    case Kind::multiply:
      return "*";
    case Kind::divide:
      return "/";
    case Kind::modulo:
      return "%";
    case Kind::eq:
      return "==";
    case Kind::ne:
      return "!=";
    case Kind::lt:
      return "<";
    case Kind::le:
      return "<=";
    case Kind::all_of:
      return "&&";
    case Kind::any_of:
      return "||";
    default:
      return nullptr;
  }
}

/// a / b and a % b of C++ made to round down; `b` may be negative too.
std::string rounded_down(Kind kind, const std::string& a, const std::string& b) {
  const std::string apart = fmt::format("({0} % {1} != 0 && ({0} < 0) != ({1} < 0))", a, b);
  return kind == Kind::divide ? fmt::format("({0} / {1} - {2})", a, b, apart)
                              : fmt::format("({0} % {1} + {2} * {1})", a, b, apart);
}

/// (a + b - 1) / b, which is too much where a is less than 0: C++ rounds that up already.
std::string rounded_up(const std::string& a, const std::string& b, bool negative) {
  if (!negative) return fmt::format("(({0} + {1} - 1) / {1})", a, b);
  return fmt::format("({0} / {1} + ({0} % {1} != 0 && ({0} < 0) == ({1} < 0)))", a, b);
}

const std::map<std::string, Kind>& operations() {
  static const std::map<std::string, Kind> all{
      {"+", Kind::add},         {"-", Kind::subtract},    {"*", Kind::multiply},
      {"/", Kind::ratio},       {"//", Kind::divide},     {"%", Kind::modulo},
      {"cdiv", Kind::cdiv},     {"min", Kind::min},       {"max", Kind::max},
      {"eq", Kind::eq},         {"ne", Kind::ne},         {"lt", Kind::lt},
      {"le", Kind::le},         {"select", Kind::select}, {"round_up", Kind::round_up},
      {"all_of", Kind::all_of}, {"any_of", Kind::any_of}};
  return all;
}

/// Of two operands each, from the left; all_of and any_of of none are true and false.
FormulaPtr joined(Kind kind, const std::vector<FormulaPtr>& operands) {
  if (operands.empty() && (kind == Kind::all_of || kind == Kind::any_of)) return number(kind == Kind::all_of ? 1 : 0);
  if (operands.empty()) return nullptr;
  FormulaPtr all = operands[0];
  for (std::size_t i = 1; i < operands.size(); ++i) all = formula(kind, {all, operands[i]});
  return all;
}

FormulaPtr operation_formula(const std::string& name, const std::vector<FormulaPtr>& operands) {
  if (name == "-" && operands.size() == 1) return formula(Kind::subtract, {number(0), operands[0]});
  if (name == "divisible" && operands.size() == 2)
    return formula(Kind::eq, {formula(Kind::modulo, operands), number(0)});
  if (name == "none_of") return formula(Kind::eq, {joined(Kind::any_of, operands), number(0)});
  const auto kind = operations().find(name);
  if (kind == operations().end()) return nullptr;
  if (kind->second == Kind::select) return operands.size() == 3 ? formula(Kind::select, operands) : nullptr;
  const bool any_number = kind->second == Kind::min || kind->second == Kind::max || kind->second == Kind::all_of ||
                          kind->second == Kind::any_of;
  return any_number || operands.size() == 2 ? joined(kind->second, operands) : nullptr;
}

}  // namespace

std::string as_lua(const Formula& f, const SymbolText& name) {
  if (f.kind == Kind::number) return number_text(f.number);
  if (f.kind == Kind::symbol) return name(f.symbol);
  static const std::map<Kind, const char*> calls{
      {Kind::cdiv, "cdiv"},     {Kind::min, "min"},      {Kind::max, "max"},       {Kind::eq, "eq"},
      {Kind::lt, "lt"},         {Kind::le, "le"},        {Kind::select, "select"}, {Kind::round_up, "round_up"},
      {Kind::all_of, "all_of"}, {Kind::any_of, "any_of"}};
  if (f.kind == Kind::ne) return fmt::format("none_of({})", as_lua(*formula(Kind::eq, f.operands), name));
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
  return fmt::format("{} {} {}", side(f.operands[0], false), lua_sign(f.kind), side(f.operands[1], true));
}

std::string as_cpp(const Formula& f, const SymbolText& name) {
  if (f.kind == Kind::number) return number_text(f.number);
  if (f.kind == Kind::symbol) return name(f.symbol);
  std::vector<std::string> sides;
  bool negative = false;
  for (const FormulaPtr& operand : f.operands) {
    sides.push_back(as_cpp(*operand, name));
    negative = negative || may_be_negative(*operand);
  }
  const std::string &a = sides[0], &b = sides.size() > 1 ? sides[1] : a;
  if (negative && (f.kind == Kind::divide || f.kind == Kind::modulo)) return rounded_down(f.kind, a, b);
  if (const char* const sign = cpp_sign(f.kind)) return fmt::format("({} {} {})", a, sign, b);
  if (f.kind == Kind::ratio) return fmt::format("((double){} / (double){})", a, b);
  if (f.kind == Kind::select) return fmt::format("({} ? {} : {})", a, b, sides.at(2));
  if (f.kind == Kind::min || f.kind == Kind::max)
    return fmt::format("({0} {2} {1} ? {0} : {1})", a, b, f.kind == Kind::min ? "<" : ">");
  const std::string rounded = rounded_up(a, b, negative);
  return f.kind == Kind::cdiv ? rounded : fmt::format("({} * {})", rounded, b);
}

FormulaPtr formula_of(const json& f) {
  if (f.is_boolean()) return number(f.get<bool>() ? 1 : 0);
  if (f.is_number()) return number(f.get<double>());
  if (!f.is_object() || f.size() != 1) return nullptr;
  const std::string operation = f.begin().key();
  const json& list = f.begin().value();
  if (operation == "size") return symbol(list.get<std::string>());
  if (!list.is_array()) return nullptr;
  std::vector<FormulaPtr> operands;
  for (const json& operand : list) {
    operands.push_back(formula_of(operand));
    if (!operands.back()) return nullptr;
  }
  return operation_formula(operation, operands);
}

}  // namespace harness::sizes
