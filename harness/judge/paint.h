#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/image.h"
#include "harness/core/plan.h"
#include "harness/judge/draw.h"

namespace harness::judge {

/// Paints a whole image of layout.bytes bytes, so that nothing in it is left over from elsewhere:
/// - guards and the padding inside strided tensors: bytes of a pattern that depends on the seed and the place;
/// - inputs and inouts: drawn (draw.h); `custom` ones keep the pattern until the caller fills them;
/// - outputs: poison, plausible numbers of another draw (floating: standard normal; s8 and u8: any; wider integers:
///   0 .. 32767; bool: bytes 2 .. 255, which no kernel writes);
/// - workspaces: zero, or the pattern where they are dirty;
/// - arrays of pointers: the offsets of their targets within the image, which the session replaces by addresses.
void paint(const Problem& problem, const Plan& plan, const ImageLayout& layout, std::uint64_t seed,
           std::span<std::byte> image, const DrawOptions& options = {});

/// Of the same only what a device cannot draw by itself (device_draws), the rest of `image` being left as it is. The
/// names of these arguments; `custom` ones keep the pattern.
std::vector<std::string> paint_rest(const Problem& problem, const ImageLayout& layout, std::uint64_t seed,
                                    std::span<std::byte> image, const std::string& form = "nominal",
                                    const std::optional<std::uint64_t>& constants = std::nullopt);
std::uint64_t pattern_stream();  // of core/random's numbers, 16 bytes each, by their place in the image

}  // namespace harness::judge
