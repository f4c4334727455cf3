#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/core/image.h"

namespace harness::judge {

/// Turns every rotatable buffer of an image by `r` rows, as timed launches see their inputs: row i becomes what row
/// (i + r) % rows was. r = 0 changes nothing.
void rotate(const ImageLayout& layout, std::span<std::byte> image, std::uint64_t r);

}  // namespace harness::judge
