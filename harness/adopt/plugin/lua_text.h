#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/adopt/kernel/kernel.h"

// How what is known of a kernel stands in a manifest.
namespace harness::adopt {

/// How a symbol of a formula stands in Lua.
std::string lua_name(const AdoptedKernel& kernel, const std::string& symbol);
std::string lua(const AdoptedKernel& kernel, const Formula& formula);
std::string lua_list(const AdoptedKernel& kernel, const std::vector<FormulaPtr>& formulas);
/// Extents of an argument: fields' names, numbers or functions.
std::string extents_text(const AdoptedKernel& kernel, const std::vector<FormulaPtr>& formulas);
/// The line's code, then where it comes from.
std::string noted(const std::string& code, const std::string& from);
std::string quoted(const std::string& text);
/// Its constants, a line of its own; "" where the host fills none.
std::string constants_text(const AdoptedKernel& kernel, const std::string& indent);
/// A manifest, with the sizes of types in front where it asks for them.
std::string with_bytes_of(const std::string& head, const std::string& text);

/// Shapes as people read them: "[rows, cols]".
std::string shape_text(const AdoptedKernel& kernel, const AdoptedParameter& parameter);

/// What is tuned has its first value where no configuration is known.
std::map<std::string, FormulaPtr> first_values(const AdoptedKernel& kernel);
/// Elements of an array.
FormulaPtr count_of(const AdoptedParameter& parameter);
/// Bytes of a scratch array, as the kernel stores it or in double.
FormulaPtr scratch_bytes(const AdoptedParameter& parameter, bool wide);

}  // namespace harness::adopt
