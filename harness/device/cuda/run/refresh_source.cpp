#include "harness/device/cuda/run/refresh_source.h"

namespace harness::cuda {

const char* const kRefreshSource =
#include "embedded/harness/device/cuda/run/refreshing_kernels.cu"
    ;

}  // namespace harness::cuda
