#pragma once
#include <optional>

#include "harness/core/contract.h"
#include "harness/core/image.h"

namespace harness::judge {

/// How a device draws this tensor's values, or poisons it, so that the bits are those of judge::paint with FreshSeeds.
/// Nothing: elements depend on each other (permutation, ragged...) or on others' places or values, a kernel's own code
/// draws them, elements share storage or are packed, or a ragged output keeps its poison outside its rows.
std::optional<ElementDraw> element_draw(const Problem& problem, const Argument& argument);

/// ImageBuffer::agreement of this tensor.
std::optional<double> agreement_with_itself(const Problem& problem, const Argument& argument);

}  // namespace harness::judge
