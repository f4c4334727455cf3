#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "harness/core/json.h"

namespace harness {

/// Logical element types of tensors and scalars. s4, e2m1 and e8m0 have a reserved place: a type is a logical type, a
/// storage unit and elements per unit, so that packed types need no new layout code.
enum class Dtype { f64, f32, f16, bf16, e4m3, e5m2, s8, u8, s16, u16, s32, u32, s64, u64, b8, s4, e2m1, e8m0 };

std::string_view name(Dtype dtype);                       // "bf16"
std::optional<Dtype> parse_dtype(std::string_view text);  // nullopt: not a type
std::string_view cuda_type(Dtype dtype);                  // "__nv_bfloat16": what `$dtype` becomes in an entry
int storage_bytes(Dtype dtype);                           // bytes of one storage unit
int elements_per_unit(Dtype dtype);                       // 1, but 2 for the 4-bit types
bool is_floating(Dtype dtype);

/// Value of the stored unit at `unit` (unpacked types only).
double load_as_double(Dtype dtype, const void* unit);
/// Stores `value` rounded to nearest even; floating overflow follows the type: f16/bf16/e5m2 to infinity,
/// e4m3 saturates to 448 (it has no infinity); integers saturate and NaN becomes 0.
void store_rounded(Dtype dtype, void* unit, double value);
/// The same for units that lie one after another.
void load_as_doubles(Dtype dtype, const std::byte* units, std::span<double> values);
void store_all_rounded(Dtype dtype, std::byte* units, std::span<const double> values);
/// Distance of two values of a floating type in units in the last place, counted over the ordered bit patterns.
/// Infinity is one step past the largest finite value; a NaN on one side only is INT64_MAX.
std::int64_t ulp_distance(Dtype dtype, const void* a, const void* b);

void to_json(json& j, Dtype dtype);
void from_json(const json& j, Dtype& dtype);

}  // namespace harness
