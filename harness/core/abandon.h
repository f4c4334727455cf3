#pragma once
#include <span>

namespace harness {

/// Whether a candidate may be given up in the middle of its timing: every sample of its own lies above `factor` times
/// every sample of its rival, and each has at least six. Were it no slower than `factor` times the rival, that would
/// happen once in 924 times at most (two samples of six from one distribution). `factor` 0: never.
bool clearly_slower(std::span<const double> own_ns, std::span<const double> rival_ns, double factor);

/// What an Abandoned outcome is measured against: `factor` times the rival's slowest sample.
double abandon_threshold(std::span<const double> rival_ns, double factor);

}  // namespace harness
