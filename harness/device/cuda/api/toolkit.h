#pragma once
#include <string>
#include <vector>

namespace harness::cuda {

/// Folders in which a toolkit or its pip packages keep libraries and headers: $CUDA_HOME, $CUDA_PATH,
/// /usr/local/cuda*, and nvidia/<package> of the Python installations that are cheap to find. Existing folders only,
/// most specific first.
std::vector<std::string> toolkit_roots();

/// Candidates for `sonames`: each by its bare name, then within lib64 and lib of every root.
std::vector<std::string> library_candidates(const std::vector<std::string>& sonames);

/// The include folder that has cuda_fp16.h, which NVRTC needs for half and bfloat16; "" where there is none.
std::string find_toolkit_include();

}  // namespace harness::cuda
