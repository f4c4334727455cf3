#pragma once
#include "harness/core/contract.h"
#include "harness/core/image.h"
#include "harness/core/plan.h"

namespace harness::judge {

/// Bytes of guard on every side of every buffer, at least.
inline constexpr std::int64_t kGuardBytes = 256;

/// Places every tensor, pointer array and workspace of a launch. A payload that asks for `align` bytes (default 16,
/// never less than its element) starts at an odd multiple of that: an access that silently assumes more is caught. The
/// base is aligned to 4096, so 4096 is the most that can be asked for. Inputs come first, each in pages
/// of its own that end where it ends, but for its alignment. Views and pointers refer into the buffer of
/// `of`; scalars, structures, tensor maps and absent arguments take no space. Throws Error for an alignment that is no
/// power of two and for views and pointers that leave their tensor. What a device may draw anew by itself is marked
/// (element_draw.h).
ImageLayout make_layout(const Problem& problem, const Plan& plan);

}  // namespace harness::judge
