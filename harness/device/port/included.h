#pragma once
#include <filesystem>
#include <vector>

#include "harness/core/plan.h"
#include "harness/cpp_text/closure.h"

namespace harness {

/// All that a compiler may read of a build's folders, and of `more` behind them.
cpp_text::IncludeClosure included_by(const BuildSpec& spec, const std::vector<std::filesystem::path>& more = {});

/// Throws TextChanged where a file of the build's folders is another than when the source's hash was made
/// (BuildSpec::included): the record would name a text that was not compiled.
void refuse_changed(const BuildSpec& spec, const cpp_text::IncludeClosure& included);

}  // namespace harness
