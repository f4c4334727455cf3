#pragma once

namespace harness {

// NVRTC has no <cmath>, so there is no INFINITY; these are its bits.
inline constexpr float kInfinity = __builtin_bit_cast(float, 0x7f800000);

}  // namespace harness
