#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "harness/judge/reference.h"

// A sum of terms of both signs may come out near zero by chance. An honest error is relative to the terms, not to what
// is left of them; with many elements their common norm tells that size, with a few it must be measured.
namespace harness::judge {

/// Outputs of so few elements are looked at again.
inline constexpr std::int64_t kFewTerms = 64;
/// How often inputs are changed to find the size of the terms.
inline constexpr int kTermTrials = 4;

/// True where the verdict failed for nothing but relative errors of outputs of at most kFewTerms elements, none grosser
/// than a cancellation can make of an honest error.
bool may_be_cancellation(const Problem& problem, const Verdict& verdict);

/// Every floating input x becomes x (1 + d) or x (1 - d), d = kTermChange, by `seed` and its place.
void change_inputs(const Problem& problem, const ImageLayout& layout, std::uint64_t seed, std::span<std::byte> image);
inline constexpr double kTermChange = 0x1p-6;

/// Sets `terms` of every output of at most kFewTerms elements: the rms of (changed - reference) / kTermChange. For a
/// sum of independent terms that is the root of their squares' sum.
void measure_terms(const Problem& problem, ReferenceValues& reference, const std::vector<ReferenceValues>& changed);

}  // namespace harness::judge
