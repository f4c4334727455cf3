#pragma once
#include <string>

#include "harness/core/plan.h"
#include "harness/cpp_text/closure.h"

namespace harness::cuda {

/// All that NVRTC may read of a build's folders; it has no option that tells what it did read (13.0). Refused is also
/// an include whose name a macro computes that the toolkit's headers define in another way. `toolkit_include` may be
/// "".
cpp_text::IncludeClosure included_by(const BuildSpec& spec, const std::string& toolkit_include);

}  // namespace harness::cuda
