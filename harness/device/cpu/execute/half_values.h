#pragma once
#include <bit>
#include <cstdint>

namespace harness::cpu {

/// The value of a bf16, in the lower 16 bits of `bits`.
inline float bf16_value(std::uint32_t bits) {
  return std::bit_cast<float>(bits << 16);
}

/// The value of an f16. Moves the exponent's bits into place and corrects its bias by a multiplication, which also
/// makes subnormals right.
inline float f16_value(std::uint32_t bits) {
  const std::uint32_t magnitude = bits & 0x7fffu;
  const float finite = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  const std::uint32_t value =
      magnitude >= 0x7c00u ? 0x7f800000u | magnitude << 13 : std::bit_cast<std::uint32_t>(finite);
  return std::bit_cast<float>(value | (bits & 0x8000u) << 16);
}

}  // namespace harness::cpu
