#pragma once
#include <string>

#include "harness/core/catalog.h"
#include "harness/package/origin.h"

namespace harness::package {

/// One compilable source of a candidate on a workload: how it is launched as comments, its configuration as defines,
/// its headers where they were included, and its entries instantiated. It needs the toolkit's headers only. Throws
/// Error(bad_input) where inline_headers does, and for a plan that launches nothing of its own.
std::string resolved_source(const Realized& realized, const Origin& origin);

/// "#ifndef BLOCK\n#define BLOCK 128\n#endif\n" for each define of the build: another value can be given to a compiler.
std::string define_lines(const BuildSpec& build);

/// "10_vector BLOCK=512 VEC=4"
std::string candidate_text(const Candidate& candidate);

}  // namespace harness::package
