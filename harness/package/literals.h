#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/contract.h"

// Values as C++ writes them.
namespace harness::package {

std::string quoted(const std::string& text);
/// "{1, 2, 3}"
std::string braces(const std::vector<std::int64_t>& numbers);
/// "Type::bf16", of standalone_values.cu. Throws Error(bad_input) for packed types, which it does not have.
std::string type_literal(const Argument& argument);
/// ".value(3)" or, where no literal of C++ is exact, ".raw({0x00, 0x3c})": the call that adds a parameter of this value
/// to a launch. Throws Error(bad_input) for a value that the type cannot hold.
std::string scalar_parameter(Dtype dtype, const Value& value);
/// The same for a structure: its bytes, padding 0.
std::string structure_parameter(const Argument& argument);

}  // namespace harness::package
