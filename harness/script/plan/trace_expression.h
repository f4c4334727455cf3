#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

// Launch arithmetic as a tree: what `steps`, `valid` and `workspaces` compute from workload sizes and device
// quantities, when they run on symbols instead of numbers. A packaged launcher in C++ is made from these trees.
namespace harness::script {

/// A number or truth value, with Lua's distinction of integers and floats.
using Scalar = std::variant<bool, std::int64_t, double>;

enum class Operation {
  constant,
  symbol,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  negate,
  cdiv,
  round_up,
  select,
  min,
  max,
  eq,
  ne,
  lt,
  le,
  divisible,
  all_of,
  any_of,
  none_of
};

/// Computes as Lua does (integers wrap, `//` and `%` round down). Throws std::domain_error with a clause ("divides by
/// zero") when the operands do not fit. Comparisons take numbers, all_of, any_of and none_of truth values.
Scalar compute(Operation operation, std::span<const Scalar> operands);

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

/// Immutable. `depth` and `size` (of the tree, shared parts counted each time) bound what a script can make us walk.
struct Expression {
  Operation operation = Operation::constant;
  Scalar constant;
  std::string symbol;  // "w.T", "device.multiprocessors"
  std::vector<ExpressionPtr> operands;
  int depth = 1;
  std::int64_t size = 1;
};

ExpressionPtr make_constant(Scalar value);
ExpressionPtr make_symbol(std::string name);
/// Throws std::domain_error if the tree would be deeper or larger than a launcher could sensibly be.
ExpressionPtr make_expression(Operation operation, std::vector<ExpressionPtr> operands);

/// Throws std::domain_error like `compute`; every symbol must have a value.
Scalar evaluate(const Expression& expression, const std::map<std::string, Scalar>& symbols);

/// As it would stand in a manifest: "cdiv(w.T, 4) * 2".
std::string describe(const Expression& expression);
std::string describe(const Scalar& value);
/// 4 and 4.0 are the same number; a truth value equals no number.
bool same_scalar(const Scalar& a, const Scalar& b);

}  // namespace harness::script
