#pragma once
#include <string>
#include <vector>

#include "harness/adopt/kernel/options.h"
#include "harness/adopt/source/source.h"

namespace harness::adopt {

/// Kernel Launcher's `#pragma kernel` lines right above a kernel, as answers in `options`; what a person answered
/// stands.
///   tune(a=1,2,4) set(b=8)              --tune
///   problem_size(n) block_size(a)       --block a, --grid cdiv(n, a)
///   grid_divisor(d), grid_size(e)       --grid cdiv(n, d), --grid e
///   buffers(C[n], A[n])                 --arg C[n] --arg A[n]
///   tuning_key(...)                     nothing: a plugin has a name of its own
/// Returns what was left out, sentences. Throws Error(bad_input) for a clause that is not known.
std::vector<std::string> take_pragmas(const Source& source, std::size_t kernel, AdoptOptions& options);

}  // namespace harness::adopt
