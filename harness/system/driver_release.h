#pragma once
#include "harness/core/json.h"

namespace harness {

/// The release of the NVIDIA driver whose kernel module is loaded, "580.65.06"; null where none is. Two releases with
/// the same CUDA version may differ in speed.
json driver_release();

}  // namespace harness
