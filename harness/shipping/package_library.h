#pragma once
#include <string>
#include <vector>

#include "harness/package/folder/images.h"

namespace harness {

struct ComparedLauncher {
  std::string state;                   // "same", "different", or why it could not be compared, a sentence
  std::vector<std::string> different;  // sentences
};

/// Looks at the compiled launchers of a package (python/NAME/NAME.*.so): each holds the package's images, and this
/// machine's is what its sources compile to with the same g++.
ComparedLauncher compare_launcher(const package::PackageFolder& package, const package::HeldImages& held);

}  // namespace harness
