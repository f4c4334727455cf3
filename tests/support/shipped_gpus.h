#pragma once
#include "harness/script/gpus/gpus.h"

namespace harness::tests {

/// A test program that includes this knows the GPUs that come with harness.
inline const bool kKnowsShippedGpus = [] {
  read_gpus_by([] { return script::read_gpus({HARNESS_SOURCE_DIR "/gpus"}); });
  return true;
}();

}  // namespace harness::tests
