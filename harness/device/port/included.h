#pragma once
#include <filesystem>
#include <vector>

#include "harness/core/plan.h"
#include "harness/cpp_text/closure.h"

namespace harness {

/// All that a compiler may read of a build's folders, and of `more` behind them.
cpp_text::IncludeClosure included_by(const BuildSpec& spec, const std::vector<std::filesystem::path>& more = {});

}  // namespace harness
