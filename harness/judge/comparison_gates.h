#pragma once
#include <cstdint>
#include <string>

#include "harness/core/outcome.h"
#include "harness/judge/measure.h"

// The gates of one output, from what was measured of it. `seen`: the output itself, where the words of a failure can
// point at elements; a device that measured by itself has only the numbers.
namespace harness::judge {

/// "relative-l2", "ulp", "exact" or "quantized", without the output's name.
GateResult comparison_gate(const Comparison& comparison, const Measured& m, const Output* seen);
/// True where elements still have their poison, and that is not chance: verdict.h.
bool is_unwritten(const Measured& m);

inline constexpr const char* kAllFinite = "all finite where the reference is";
inline constexpr const char* kAllWritten = "every element written";

std::string place_words(const Output& output, std::int64_t logical);    // "o[3, 7]"
std::string element_words(const Output& output, std::int64_t logical);  // "o[3, 7] is 0, expected 0.25"

}  // namespace harness::judge
