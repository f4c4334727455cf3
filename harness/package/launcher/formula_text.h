#pragma once
#include <map>
#include <string>

#include "harness/core/formula_catalog.h"

namespace harness::package {

enum class FormulaType { whole, real, truth };

/// A formula in C++, with the functions of runtime.in: `w.` are the sizes, `d.` the device's limits, `f` the fault.
struct FormulaText {
  std::string text;
  FormulaType type = FormulaType::whole;
};

/// Sizes that are floats by their name; all others are whole numbers.
using SizeTypes = std::map<std::string, FormulaType>;

/// Throws Error(bad_input) for an operation that is not known, or whose operands do not fit.
FormulaText formula_text(const Formula& formula, const SizeTypes& types);
/// As a whole number; one with a fraction is a fault. Truth values count as 0 and 1.
std::string whole_text(const Formula& formula, const SizeTypes& types);
std::string real_text(const Formula& formula, const SizeTypes& types);
std::string truth_text(const Formula& formula, const SizeTypes& types);

/// A name of the contract as C has it: "int_" for int.
std::string c_name(const std::string& name);

}  // namespace harness::package
