#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "harness/core/contract.h"
#include "harness/core/image.h"
#include "harness/core/outcome.h"
#include "harness/core/plan.h"
#include "harness/judge/reference.h"

namespace harness::judge {

/// All gates of correctness over one launch, in this order: guard-zones, inputs-unchanged, finite, written, and for
/// each output its comparison, named "relative-l2:NAME", "ulp:NAME", "exact:NAME", "quantized:NAME" or "set:NAME".
/// `before` is the painted image, `after` what the session brought back. A gate's detail is its evidence, also when it
/// passed.
///
/// written: an element that still has its poison and is wrong counts as unwritten. A healthy kernel hits the poison by
/// chance only where that is right within tolerance; a kernel whose elements are wrong everywhere hits it in at most
/// one of 256: the gate fails when a sixteenth of the wrong elements or more are unwritten.
///
/// Throws Error for a comparison that does not exist, and for `custom`, which needs device code: judge it with the
/// values that the caller gets from running it.
Verdict judge(const Problem& problem, const Plan& plan, const ImageLayout& layout, std::span<const std::byte> before,
              std::span<const std::byte> after, const ReferenceValues& reference, std::uint64_t seed = 0,
              const std::map<std::string, GateResult>& custom = {});

/// How far each output is from the reference (measure.h, error_of).
std::map<std::string, double> output_errors(const Problem& problem, const ImageLayout& layout,
                                            std::span<const std::byte> before, std::span<const std::byte> after,
                                            const ReferenceValues& reference);

/// What two candidates with the same bug have in common: the gates that failed and the pattern of the wrong elements,
/// "relative-l2:o: rows >= 64, ratio 0.675". "" for a verdict that passed.
std::string fingerprint(const Verdict& verdict);

}  // namespace harness::judge
