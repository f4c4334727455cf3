#pragma once
#include <string>
#include <vector>

#include "harness/service/places.h"

namespace harness {

/// Where facts of GPUs are (core/gpu.h): the project's own first, then those that came with the program.
std::vector<std::string> gpu_folders(const Places& places);

}  // namespace harness
