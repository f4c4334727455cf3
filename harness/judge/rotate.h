#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/core/image.h"

namespace harness::judge {

/// Makes of a painted image what a session made of it for a launch with rotation `r` (core/image.h): every buffer that
/// may be rotated is, by r modulo its rows; all other bytes stay.
void rotate(const ImageLayout& layout, std::span<std::byte> image, std::uint64_t r);

}  // namespace harness::judge
