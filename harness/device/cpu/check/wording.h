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

/// How memory was accessed. What is volatile orders nothing with others' accesses and is whole, as an atomic is.
struct AccessKind {
  bool writes = false, atomic = false, is_volatile = false;
};
const char* verb(const AccessKind& access);  // "wrote"

}  // namespace harness::cpu
