#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/json.h"

namespace harness {

/// What a TMA descriptor (CUtensorMap, 128 bytes, passed by value as `const __grid_constant__`) describes: a tensor in
/// global memory and the box of it that one instruction moves. Lists are in elements, outermost dimension first, as in
/// a contract's `shape`; device code gives its coordinates innermost first, as PTX does. What lies outside of the
/// tensor is read as 0 and not written.
struct TensorMap {
  std::string of;  // argument or workspace
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape, strides;  // the innermost stride is 1
  std::vector<std::int64_t> box;
  std::string swizzle = "none";    // of kSwizzles
  std::string promotion = "none";  // of L2 fetches: of kPromotions
};

// In the order of the driver's enumerations.
inline constexpr std::array<const char*, 4> kSwizzles = {"none", "32b", "64b", "128b"};
inline constexpr std::array<const char*, 4> kPromotions = {"none", "64b", "128b", "256b"};

inline constexpr std::int64_t kTensorMapBytes = 128;

/// Bytes of the swizzle's span; 0 for "none".
int swizzle_span(const std::string& swizzle);
/// Why the hardware cannot encode it (PTX ISA, tensors; cuTensorMapEncodeTiled), a clause without a subject such as
/// "has a box of 512 keys..."; empty: it can.
std::string tensor_map_problem(const TensorMap& map);
/// Of a contract's argument of kind tensor_map.
TensorMap tensor_map_of(const Argument& argument);

void to_json(json& to, const TensorMap& value);
void from_json(const json& from, TensorMap& value);

}  // namespace harness
