#pragma once
#include <string>
#include <vector>

#include "harness/adopt/kernel/kernel.h"
#include "harness/capture/trace.h"
#include "harness/system/temporary_folder.h"

namespace harness {

/// A launch that `harness capture --launch` recorded, to be adopted.
class CapturedSource {
 public:
  /// `folder`: of the capture; `file`: the kernel's source, "" where it is to be found below this folder. Throws
  /// Error(bad_input) where there is no launch or no source.
  CapturedSource(const std::string& folder, const std::string& file);

  std::string file, entry;
  std::vector<Dtype> dtypes;  // that the kernel's template arguments name
  /// Gives a kernel that was observed the launch's sizes and numbers. An option --reference that names the recorded
  /// arrays; "" where they cannot be used. `note` says what was taken.
  std::string take(adopt::AdoptedKernel& kernel);
  std::string note;

 private:
  capture::CapturedLaunch launch_;
  TemporaryFolder arrays_{"captured"};
};

}  // namespace harness
