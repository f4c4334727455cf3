#pragma once
#include <cstdint>

namespace harness::script {

/// Lua's integer arithmetic: two's complement, wrapping, division rounding down. Divisors must not be 0.
std::int64_t wrap_add(std::int64_t a, std::int64_t b);
std::int64_t wrap_subtract(std::int64_t a, std::int64_t b);
std::int64_t wrap_multiply(std::int64_t a, std::int64_t b);
std::int64_t floor_divide(std::int64_t a, std::int64_t b);
std::int64_t floor_modulo(std::int64_t a, std::int64_t b);
/// The same roundings on floats, also as Lua has them.
double floor_modulo(double a, double b);

}  // namespace harness::script
