#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/image.h"
#include "harness/judge/reference.h"

// Whether a contract's gates can tell anything: what its inputs and its reference are like, over a few draws.
namespace harness::judge {

/// One draw, and the reference of it.
struct DrawnReference {
  std::span<const std::byte> image;
  const ReferenceValues& values;
};

/// Inputs of which every element has the same value in all of these draws, with that value. Those that are declared
/// constant, and those of one element, are none.
std::map<std::string, double> constant_inputs(const Problem& problem, const ImageLayout& layout,
                                              std::span<const std::span<const std::byte>> images);

/// A reference that leaves NaN in more than a tenth of an output although its inputs are finite, a sentence each.
std::vector<std::string> not_a_number(const Problem& problem, const ImageLayout& layout, const DrawnReference& drawn);

/// A reference whose two runs on the same inputs differ, a sentence each: by more than a sum in another order would.
std::vector<std::string> changes_by_itself(const Problem& problem, const ReferenceValues& first,
                                           const ReferenceValues& again);

/// Outputs whose reference is the same, bit by bit, in all of these.
std::vector<std::string> same_outputs(const Problem& problem, const ImageLayout& layout,
                                      std::span<const DrawnReference> draws);

}  // namespace harness::judge
