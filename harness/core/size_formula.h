#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/json.h"

// Formulas of sizes: extents, grids, shared memory. One type for what a host's C++ computes, what a manifest says and
// what a package writes.
namespace harness::sizes {

struct Formula;
using FormulaPtr = std::shared_ptr<const Formula>;

/// Arithmetic on whole numbers. `divide` and `modulo` round down, as Lua's // and % and Python's do: -7 divided by 2 is
/// -4, and -7 modulo 2 is 1. C++ truncates (-3 and -1), so what is printed as C++ says the difference, wherever an
/// operand may be negative. `cdiv` rounds up. `ratio` is a fraction, which has no value here. Conditions are 1 and 0.
struct Formula {
  enum class Kind {
    number,
    symbol,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    cdiv,
    min,
    max,
    round_up,
    select,
    eq,
    ne,
    lt,
    le,
    all_of,
    any_of,
    ratio
  };
  Kind kind = Kind::number;
  double number = 0;
  std::string symbol;
  std::vector<FormulaPtr> operands;
  bool floating = false;  // a host's C++ has it in a floating type; only who reads that asks
};

FormulaPtr number(double value);
FormulaPtr symbol(std::string name);
/// Folds what is made of numbers alone, and what adds nothing: n * 1, n + 0. (a + b - 1) / b is made a cdiv by whoever
/// reads it.
FormulaPtr formula(Formula::Kind kind, std::vector<FormulaPtr> operands);

/// Symbols by their values.
using Values = std::map<std::string, std::int64_t>;

/// Nothing: a symbol has no value, it divides by zero, or it has a ratio.
std::optional<std::int64_t> evaluate(const Formula& formula, const Values& values);
bool equal(const Formula& a, const Formula& b);
std::set<std::string> symbols_of(const Formula& formula);
/// a, b and c of a * b * c, in their order; the formula itself where it is no product.
std::vector<FormulaPtr> factors_of(const FormulaPtr& formula);
/// The same with some symbols replaced.
FormulaPtr with(const FormulaPtr& formula, const std::map<std::string, FormulaPtr>& replaced);
/// Is it made of whole numbers alone?
bool is_whole(const Formula& formula);
/// May it be less than 0 where no symbol is?
bool may_be_negative(const Formula& formula);

/// How a symbol stands in a text: "w.N" of N.
using SymbolText = std::function<std::string(const std::string&)>;

/// As a manifest writes it, and as people read it.
std::string as_lua(const Formula& formula, const SymbolText& name);
/// As C++ writes it on signed whole numbers of one type, each operation in parentheses.
std::string as_cpp(const Formula& formula, const SymbolText& name);

/// Out of a launcher's formula as JSON (core/formula_catalog.h): {"cdiv": [{"size": "N"}, 4]}, symbols are sizes.
/// Nothing: it asks the device, or is malformed.
FormulaPtr formula_of(const json& formula);

}  // namespace harness::sizes
