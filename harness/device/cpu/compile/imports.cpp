#include "harness/device/cpu/compile/imports.h"

#include <algorithm>

#include "harness/device/cpu/compile/machine.h"

namespace harness::cpu {
namespace {

constexpr std::string_view kMemory[] = {"memcpy",  "memmove", "memset", "memcmp", "malloc",        "free",    "calloc",
                                        "realloc", "_Znwm",   "_Znam",  "_ZdlPv", "_ZdaPv",        "_ZdlPvm", "_ZdaPvm",
                                        "abort",   "abs",     "labs",   "llabs",  "__tls_get_addr"};

// Each also with f, and of long double with l, behind it. Source: ISO C17, 7.12, and the functions of POSIX and GNU
// that CUDA has too.
constexpr std::string_view kMathematics[] = {
    "acos",  "acosh",  "asin",      "asinh",   "atan",      "atan2",     "atanh",      "cbrt",  "ceil",      "copysign",
    "cos",   "cosh",   "erf",       "erfc",    "exp",       "exp10",     "exp2",       "expm1", "fabs",      "fdim",
    "floor", "fma",    "fmax",      "fmin",    "fmod",      "frexp",     "hypot",      "ilogb", "j0",        "j1",
    "jn",    "ldexp",  "lgamma",    "llrint",  "llround",   "log",       "log10",      "log1p", "log2",      "logb",
    "lrint", "lround", "modf",      "nan",     "nearbyint", "nextafter", "nexttoward", "pow",   "remainder", "remquo",
    "rint",  "round",  "roundeven", "scalbln", "scalbn",    "sin",       "sincos",     "sinh",  "sqrt",      "tan",
    "tanh",  "tgamma", "trunc",     "y0",      "y1",        "yn"};

bool is_mathematics(std::string_view name) {
  const auto is = [](std::string_view word) {
    return std::find(std::begin(kMathematics), std::end(kMathematics), word) != std::end(kMathematics);
  };
  return is(name) ||
         (!name.empty() && (name.back() == 'f' || name.back() == 'l') && is(name.substr(0, name.size() - 1)));
}

template <typename List>
bool lists(const List& list, std::string_view name) {
  return std::any_of(std::begin(list), std::end(list), [&](std::string_view allowed) { return allowed == name; });
}

}  // namespace

bool is_known_import(std::string_view name) {
  return lists(kMemory, name) || is_mathematics(name) || lists(kExports, name);
}

bool is_import_without_libc(std::string_view name) {
  return name == "__tls_get_addr" || is_mathematics(name) || lists(kExports, name);
}

bool is_known_library(std::string_view name) {
  constexpr std::string_view kLibraries[] = {"libm.so.6", "libc.so.6", "libstdc++.so.6", "libgcc_s.so.1", kLoader};
  return lists(kLibraries, name);
}

}  // namespace harness::cpu
