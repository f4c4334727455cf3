#pragma once
#include <string>
#include <vector>

namespace harness::adopt {

/// A source that a plugin was adopted from and that is no longer what it was.
struct ChangedSource {
  std::string kernel;  // the plugin
  std::string path;    // of the source
  bool missing = false;
};

/// `kernel_folders`: folders of plugins, kernels/NAME. Those that were not adopted, or whose source's place is not
/// noted, are passed over.
std::vector<ChangedSource> changed_adopted_files(const std::vector<std::string>& kernel_folders);

}  // namespace harness::adopt
