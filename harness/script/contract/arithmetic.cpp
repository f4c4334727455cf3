#include "harness/script/contract/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "harness/core/value.h"

namespace harness::script {
namespace {

using Operands = std::span<const Scalar>;

bool is_integer(const Scalar& s) {
  return std::holds_alternative<std::int64_t>(s);
}

double as_real(const Scalar& s) {
  if (const auto* integer = std::get_if<std::int64_t>(&s)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&s)) return *real;
  throw std::domain_error("takes numbers, not true or false");
}

bool as_truth(const Scalar& s) {
  if (const auto* truth = std::get_if<bool>(&s)) return *truth;
  throw std::domain_error("takes conditions (true or false), not numbers");
}

void require(Operands operands, std::size_t count) {
  if (operands.size() != count) {
    throw std::domain_error("takes " + std::to_string(count) + " values, not " + std::to_string(operands.size()));
  }
}

/// Integer arithmetic if both are integers, else floating.
template <typename IntegerRule, typename RealRule>
Scalar both(Operands operands, IntegerRule on_integers, RealRule on_reals) {
  require(operands, 2);
  if (is_integer(operands[0]) && is_integer(operands[1])) {
    return on_integers(std::get<std::int64_t>(operands[0]), std::get<std::int64_t>(operands[1]));
  }
  return on_reals(as_real(operands[0]), as_real(operands[1]));
}

std::int64_t divisor(std::int64_t b) {
  if (b == 0) throw std::domain_error("divides by zero");
  return b;
}

Scalar ceil_divide(Operands operands) {
  return both(
      operands,
      [](std::int64_t a, std::int64_t b) { return wrap_subtract(0, floor_divide(wrap_subtract(0, a), divisor(b))); },
      [](double a, double b) { return std::ceil(a / b); });
}

Scalar extreme(Operands operands, bool smallest) {
  if (operands.empty()) throw std::domain_error("takes at least one value");
  Scalar best = operands[0];
  for (const Scalar& candidate : operands) {
    const bool smaller = as_real(candidate) < as_real(best);
    const bool larger = as_real(candidate) > as_real(best);
    if (smallest ? smaller : larger) best = candidate;
  }
  return best;
}

bool equal(Operands operands) {
  require(operands, 2);
  return same_scalar(operands[0], operands[1]);
}

bool ordered(Operands operands, bool or_equal) {
  return std::get<bool>(both(
      operands, [&](std::int64_t a, std::int64_t b) { return Scalar(or_equal ? a <= b : a < b); },
      [&](double a, double b) { return Scalar(or_equal ? a <= b : a < b); }));
}

bool divides(Operands operands) {
  return std::get<bool>(both(
      operands, [](std::int64_t a, std::int64_t b) { return Scalar(floor_modulo(a, divisor(b)) == 0); },
      [](double a, double b) { return Scalar(floor_modulo(a, b) == 0); }));
}

Scalar negated(Operands operands) {
  require(operands, 1);
  if (is_integer(operands[0])) return wrap_subtract(0, std::get<std::int64_t>(operands[0]));
  return -as_real(operands[0]);
}

Scalar selected(Operands operands) {
  require(operands, 3);
  return as_truth(operands[0]) ? operands[1] : operands[2];
}

Scalar quotient(Operands operands) {
  require(operands, 2);
  return as_real(operands[0]) / as_real(operands[1]);
}

Scalar rounded_up(Operands operands) {
  const Scalar steps[] = {ceil_divide(operands), operands[1]};
  return compute(Operation::multiply, steps);
}

}  // namespace

std::int64_t wrap_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrap_subtract(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t wrap_multiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
  if (b == -1) return wrap_subtract(0, a);  // the one quotient that overflows
  const std::int64_t truncated = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? truncated - 1 : truncated;
}

std::int64_t floor_modulo(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t remainder = a % b;
  return (remainder != 0 && (remainder < 0) != (b < 0)) ? remainder + b : remainder;
}

double floor_modulo(double a, double b) {
  const double remainder = std::fmod(a, b);
  return (remainder != 0 && (remainder < 0) != (b < 0)) ? remainder + b : remainder;
}

bool same_scalar(const Scalar& a, const Scalar& b) {
  if (std::holds_alternative<bool>(a) != std::holds_alternative<bool>(b)) return false;
  const auto as_value = [](const Scalar& s) { return std::visit([](auto held) { return Value(held); }, s); };
  return same_value(as_value(a), as_value(b));
}

Scalar compute(Operation operation, Operands operands) {
  switch (operation) {
    case Operation::add:
      return both(operands, wrap_add, std::plus<double>());
    case Operation::subtract:
      return both(operands, wrap_subtract, std::minus<double>());
    case Operation::multiply:
      return both(operands, wrap_multiply, std::multiplies<double>());
    case Operation::divide:
      return quotient(operands);
    case Operation::floor_divide:
      return both(
          operands, [](std::int64_t a, std::int64_t b) { return floor_divide(a, divisor(b)); },
          [](double a, double b) { return std::floor(a / b); });
    case Operation::modulo:
      return both(
          operands, [](std::int64_t a, std::int64_t b) { return floor_modulo(a, divisor(b)); },
          [](double a, double b) { return floor_modulo(a, b); });
    case Operation::negate:
      return negated(operands);
    case Operation::cdiv:
      return ceil_divide(operands);
    case Operation::round_up:
      return rounded_up(operands);
    case Operation::select:
      return selected(operands);
    case Operation::min:
      return extreme(operands, true);
    case Operation::max:
      return extreme(operands, false);
    case Operation::eq:
      return equal(operands);
    case Operation::ne:
      return !equal(operands);
    case Operation::lt:
      return ordered(operands, false);
    case Operation::le:
      return ordered(operands, true);
    case Operation::divisible:
      return divides(operands);
    case Operation::all_of:
      return std::ranges::all_of(operands, as_truth);
    case Operation::any_of:
      return std::ranges::any_of(operands, as_truth);
    case Operation::none_of:
      return std::ranges::none_of(operands, as_truth);
    case Operation::constant:
    case Operation::symbol:
      break;
  }
  throw std::domain_error("is not an operation");
}

}  // namespace harness::script
