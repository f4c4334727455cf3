#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "harness/core/launch_comparison.h"
#include "harness/core/outcome.h"
#include "harness/judge/reference.h"

// Judging by sums that a device made (core/launch_comparison.h). Only what passes is decided by them: a refusal, and
// what a device cannot compare, is judged from the images (verdict.h).
namespace harness::judge {

/// What a device is to compare. Nothing: an output is compared as a set or by code of the kernel's, shares storage, has
/// too many dimensions, or the image holds addresses.
/// `seed`: of the places that are told one by one.
std::optional<LaunchComparison> describe_comparison(const Problem& problem, const ImageLayout& layout,
                                                    const ReferenceJob& reference, std::uint64_t seed);

/// The verdict that verdict.h would give, where every gate passes and every element that was told by itself bears the
/// numbers out; else nothing.
std::optional<Verdict> passing_verdict(const Problem& problem, const ImageLayout& layout,
                                       const LaunchComparison& comparison, const LaunchNumbers& numbers,
                                       std::uint64_t seed);

/// verdict.h, output_errors: by the same numbers, of a launch that is taken to be honest.
std::map<std::string, double> errors_by_numbers(const Problem& problem, const LaunchNumbers& numbers);

}  // namespace harness::judge
