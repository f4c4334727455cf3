#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/script/contract/arithmetic.h"

// Launch arithmetic as a tree: what `steps`, `valid` and `workspaces` compute from workload sizes and device
// quantities, when they run on symbols instead of numbers. A packaged launcher in C++ is made from these trees.
namespace harness::script {

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

/// "+", "cdiv"; "-" also of a negation with one operand. Of operations, not of constants and symbols.
const char* operation_name(Operation operation);
/// As it would stand in a manifest: "cdiv(w.T, 4) * 2".
std::string describe(const Expression& expression);
std::string describe(const Scalar& value);

}  // namespace harness::script
