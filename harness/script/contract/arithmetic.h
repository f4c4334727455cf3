#pragma once
#include <cstdint>
#include <span>
#include <variant>

// What `steps`, `valid` and `workspaces` may compute with: Lua's numbers and the functions that manifests know.
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

/// 4 and 4.0 are the same number; a truth value equals no number.
bool same_scalar(const Scalar& a, const Scalar& b);

/// Lua's integer arithmetic: two's complement, wrapping, division rounding down. Divisors must not be 0.
std::int64_t wrap_add(std::int64_t a, std::int64_t b);
std::int64_t wrap_subtract(std::int64_t a, std::int64_t b);
std::int64_t wrap_multiply(std::int64_t a, std::int64_t b);
std::int64_t floor_divide(std::int64_t a, std::int64_t b);
std::int64_t floor_modulo(std::int64_t a, std::int64_t b);
/// The same roundings on floats, also as Lua has them.
double floor_modulo(double a, double b);

}  // namespace harness::script
