#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/adopt/host/launch_shape.h"
#include "harness/adopt/host/resolver.h"

namespace harness::adopt {

/// Throws Error(bad_input) where an expression cannot be read.
/// `host_sizes`: a number that the host alone knows may be a size of the launch, and is a symbol in its grid.
LaunchShape resolve_launch(const KernelLaunch& at, bool host_sizes = true);

/// Size -> what the host computes it from, as it stands there: also where adopt cannot follow it, in a function that
/// calls the one that launches or in a loop. For messages.
std::map<std::string, std::string> written_by_host(const KernelLaunch& at, const std::vector<FormulaPtr>& grid);

/// --grid "cdiv(n, 256), 2" and the like.
std::vector<FormulaPtr> read_dimensions(const std::string& option, const std::string& text, const Declaration& kernel,
                                        const std::set<std::string>& tuned);

}  // namespace harness::adopt
