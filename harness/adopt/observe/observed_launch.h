#pragma once
#include <string>
#include <vector>

#include "harness/adopt/kernel/point.h"
#include "harness/core/observation.h"

namespace harness::adopt {

/// Of each arena: what a fill gives it. Behind it are zeros.
constexpr std::int64_t kContentBytes = 128 << 10;

/// One launch at a point, with those behind it. `fill` chooses what its arrays begin with. `wide`: buffers of floating
/// types hold doubles, for a source that was compiled with these.
ObservedLaunch launch_at(const AdoptedKernel& kernel, const std::string& entry, const Values& sizes, unsigned fill,
                         bool wide);

/// The name expressions of all launches, where `first` is that of the first one; each once.
std::vector<std::string> entries_of(const AdoptedKernel& kernel, const std::string& first);

}  // namespace harness::adopt
