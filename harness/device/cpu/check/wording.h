#pragma once
#include <cstdint>
#include <string>

#include "harness/core/plan.h"

// The words of the memory checker's findings.
namespace harness::cpu {

std::string count_bytes(std::size_t bytes);                        // "4 bytes"
std::string coordinates(std::uint32_t linear, const Dim3& shape);  // "(3,0,0)"
std::string byte_range(std::int64_t first, std::size_t bytes);     // "bytes -4 to -1"
std::string quoted(const std::string& name);                       // of a variable: "'tile'"
const char* verb(bool writes, bool atomic);                        // "wrote"

}  // namespace harness::cpu
