#pragma once
#include <cstddef>
#include <span>

#include "harness/core/contract.h"
#include "harness/core/image.h"
#include "harness/core/outcome.h"

namespace harness::judge {

/// "guard-zones": every byte that belongs to no element is as before: guards, padding inside strided tensors, and the
/// part of a ragged output outside its valid rows where that is declared untouched.
GateResult check_guards(const Problem& problem, const ImageLayout& layout, std::span<const std::byte> before,
                        std::span<const std::byte> after);

/// "inputs-unchanged": every element of every input, and every array of pointers. A session may leave addresses in the
/// latter; they must still be those of the same targets.
GateResult check_inputs(const Problem& problem, const ImageLayout& layout, std::span<const std::byte> before,
                        std::span<const std::byte> after);

/// The same gates where a device found no byte changed.
GateResult guards_intact(const Problem& problem, const ImageLayout& layout);
GateResult inputs_intact(const Problem& problem);

}  // namespace harness::judge
