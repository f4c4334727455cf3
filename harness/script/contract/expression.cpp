#include "harness/script/contract/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "harness/core/value.h"

namespace harness::script {
namespace {

constexpr int kDeepestExpression = 200;
constexpr std::int64_t kLargestExpression = 100000;

bool is_infix(const Expression& e) {
  return e.operands.size() == 2 && e.operation >= Operation::add && e.operation <= Operation::modulo;
}

std::string operand_text(const Expression& operand) {
  const std::string text = describe(operand);
  return is_infix(operand) ? fmt::format("({})", text) : text;
}

}  // namespace

const char* operation_name(Operation operation) {
  switch (operation) {
    case Operation::add:
      return "+";
    case Operation::subtract:
      return "-";
    case Operation::multiply:
      return "*";
    case Operation::divide:
      return "/";
    case Operation::floor_divide:
      return "//";
    case Operation::modulo:
      return "%";
    case Operation::cdiv:
      return "cdiv";
    case Operation::round_up:
      return "round_up";
    case Operation::select:
      return "select";
    case Operation::min:
      return "min";
    case Operation::max:
      return "max";
    case Operation::eq:
      return "eq";
    case Operation::ne:
      return "ne";
    case Operation::lt:
      return "lt";
    case Operation::le:
      return "le";
    case Operation::divisible:
      return "divisible";
    case Operation::all_of:
      return "all_of";
    case Operation::any_of:
      return "any_of";
    case Operation::none_of:
      return "none_of";
    case Operation::negate:
      return "-";
    case Operation::constant:
    case Operation::symbol:
      break;
  }
  return "";
}

ExpressionPtr make_constant(Scalar value) {
  auto made = std::make_shared<Expression>();
  made->constant = value;
  return made;
}

ExpressionPtr make_symbol(std::string name) {
  auto made = std::make_shared<Expression>();
  made->operation = Operation::symbol;
  made->symbol = std::move(name);
  return made;
}

ExpressionPtr make_expression(Operation operation, std::vector<ExpressionPtr> operands) {
  auto made = std::make_shared<Expression>();
  made->operation = operation;
  for (const ExpressionPtr& operand : operands) {
    made->depth = std::max(made->depth, operand->depth + 1);
    made->size += operand->size;
  }
  if (made->depth > kDeepestExpression || made->size > kLargestExpression) {
    throw std::domain_error("grows into an expression too large for a launcher");
  }
  made->operands = std::move(operands);
  return made;
}

Scalar evaluate(const Expression& expression, const std::map<std::string, Scalar>& symbols) {
  if (expression.operation == Operation::constant) return expression.constant;
  if (expression.operation == Operation::symbol) {
    const auto found = symbols.find(expression.symbol);
    if (found == symbols.end()) throw std::domain_error("uses '" + expression.symbol + "', which has no value here");
    return found->second;
  }
  std::vector<Scalar> operands;
  operands.reserve(expression.operands.size());
  for (const ExpressionPtr& operand : expression.operands) operands.push_back(evaluate(*operand, symbols));
  return compute(expression.operation, operands);
}

std::string describe(const Scalar& value) {
  return std::visit([](auto held) { return harness::to_text(Value(held)); }, value);
}

std::string describe(const Expression& e) {
  if (e.operation == Operation::constant) return describe(e.constant);
  if (e.operation == Operation::symbol) return e.symbol;
  if (is_infix(e))
    return fmt::format("{} {} {}", operand_text(*e.operands[0]), operation_name(e.operation),
                       operand_text(*e.operands[1]));
  if (e.operation == Operation::negate) return fmt::format("-{}", operand_text(*e.operands[0]));
  std::vector<std::string> operands;
  for (const ExpressionPtr& operand : e.operands) operands.push_back(describe(*operand));
  return fmt::format("{}({})", operation_name(e.operation), fmt::join(operands, ", "));
}

}  // namespace harness::script
