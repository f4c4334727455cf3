#include "harness/device/cpu/check/wording.h"

#include <fmt/format.h>

namespace harness::cpu {

std::string count_bytes(std::size_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

std::string coordinates(std::uint32_t linear, const Dim3& shape) {
  return fmt::format("({},{},{})", linear % shape.x, linear / shape.x % shape.y, linear / shape.x / shape.y);
}

std::string byte_range(std::int64_t first, std::size_t bytes) {
  if (bytes == 1) return fmt::format("byte {}", first);
  return fmt::format("bytes {} to {}", first, first + static_cast<std::int64_t>(bytes) - 1);
}

/// Variables of the source in quotes.
std::string quoted(const std::string& name) {
  return name.find(' ') == std::string::npos ? "'" + name + "'" : name;
}

const char* verb(const AccessKind& access) {
  if (access.is_volatile) return access.writes ? "made a volatile write of" : "made a volatile read of";
  if (access.atomic) return access.writes ? "atomically updated" : "atomically read";
  return access.writes ? "wrote" : "read";
}

}  // namespace harness::cpu
