#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/image.h"
#include "harness/judge/reference.h"

namespace harness::judge {

/// A NumPy array in row-major order.
struct NpyArray {
  Dtype dtype = Dtype::f64;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;
  double at(std::int64_t logical) const { return load_as_double(dtype, data.data() + logical * storage_bytes(dtype)); }
};

/// Reads format version 1 or 2, little endian, C order, of f2 f4 f8, i1 .. i8, u1 .. u8 or b1. Throws Error with the
/// path.
NpyArray read_npy(const std::string& path);

/// Puts DIRECTORY/NAME.npy into every input and inout of a painted image, rounded to the argument's type; for bf16 and
/// the 8-bit floats, which NumPy has not, an unsigned integer array of the same width is taken as bits. Throws Error
/// for an array that is missing or has another shape.
void place_golden_inputs(const Problem& problem, const ImageLayout& layout, const std::string& directory,
                         std::span<std::byte> image);

/// Compares the reference's values on those inputs with DIRECTORY/NAME.npy (NAME.out.npy for an inout) of each output:
/// integers exactly, floats in relative L2 with the default tolerance of the file's type. nullopt: they agree; else the
/// first disagreement as a sentence.
std::optional<std::string> compare_golden(const Problem& problem, const ReferenceValues& values,
                                          const std::string& directory);

}  // namespace harness::judge
