#pragma once
#include <cstdint>

namespace harness {

// ComparedSite::site is an offset into a candidate's code, and says above it what compares there.

/// Of a switch: which of its cases, from 1.
inline constexpr int kCaseShift = 32;
/// A minimum or maximum, which takes one of the two.
inline constexpr std::uint64_t kChoice = std::uint64_t{1} << 48;

/// No site: it says that some were not recorded, because there are too many places that compare.
inline constexpr std::uint64_t kTooManySites = ~std::uint64_t{0};

inline std::uint64_t code_offset(std::uint64_t site) {
  return site & ((std::uint64_t{1} << kCaseShift) - 1);
}
inline bool is_choice(std::uint64_t site) {
  return (site & kChoice) != 0;
}

}  // namespace harness
