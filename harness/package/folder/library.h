#pragma once
#include <string>

#include "harness/package/folder/seal.h"

namespace harness::package {

/// The launcher and the operator as one shared object that needs libc alone, for programs that have no compiler.
struct BuiltLibrary {
  std::string bytes, compiler;  // "g++ 12.2.0"
  std::string why_not;          // a sentence, where `bytes` is empty
};

/// From the sources in `files` (src/, include/), with g++ in PATH.
BuiltLibrary build_library(const PackageFiles& files);

/// Where it lies in the package, for this machine's processor: "python/NAME/NAME.x86_64.so".
std::string library_path(const std::string& name);

}  // namespace harness::package
