#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/image.h"
#include "harness/judge/indexing.h"

namespace harness::judge {

/// Stores an integer in an element of any type: exactly in an integer type that holds it (else its low bits), rounded
/// in a floating one.
void store_integer(Dtype dtype, std::byte* unit, std::int64_t value);

/// Sign- or zero-extended, with no detour through double; u64 keeps its bits.
std::int64_t load_integer(Dtype dtype, const std::byte* unit);

/// The elements of an integer tensor in row-major order, read from an image.
std::vector<std::int64_t> load_integers(const Argument& argument, const ImageLayout& layout,
                                        std::span<const std::byte> image);

/// The values of elements from `first` on, in row-major order. Each is a function of its place alone.
using ElementValues = std::function<void(std::uint64_t first, std::span<double> values)>;

/// Stores all values, rounded. Elements that share storage are written in order, by one thread: the last one stays.
/// `threads` as for parallel_ranges.
void fill_elements(const Indexer& indexer, Dtype dtype, std::span<std::byte> payload, int threads,
                   const ElementValues& values);

/// The values of elements that lie `stride` units apart, from `units` on.
void load_strided(Dtype dtype, const std::byte* units, std::int64_t stride, std::span<double> values);
void store_strided(Dtype dtype, std::byte* units, std::int64_t stride, std::span<const double> values);

/// The payload of a buffer; a bug if the layout has none of that name.
std::span<std::byte> payload(const ImageLayout& layout, const std::string& name, std::span<std::byte> image);
std::span<const std::byte> payload(const ImageLayout& layout, const std::string& name,
                                   std::span<const std::byte> image);

/// Has memory in the image and is drawn, or must not change.
bool is_drawn(const Argument& argument);   // input or inout, not absent
bool is_judged(const Argument& argument);  // output or inout, not absent

}  // namespace harness::judge
