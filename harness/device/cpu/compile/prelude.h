#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "harness/system/build_cache.h"
#include "harness/system/files.h"

namespace harness::cpu {

/// What stands before the first line of every candidate (guest/harness_cpu/prelude.h), precompiled: reading it as text
/// is a third of what building a small kernel takes. One precompiled header a set of flags lies in the build
/// cache. Where g++ finds that it does not fit, because a define of the candidate is a word of the emulation's headers,
/// g++ reads the text instead, by itself.
class Prelude {
 public:
  /// `identity`: of the compiler and the processor.
  Prelude(const std::string& cache_folder, std::string include_folder, std::string identity);

  /// g++ with these arguments; whether it succeeded.
  using Compile = std::function<bool(const std::vector<std::string>& arguments, const std::string& scratch)>;

  /// The file to -include under `flags` (g++'s, without the candidate's own defines and folders). It is made with
  /// `compile` when it is first asked for, and again after a header of the emulation has changed;
  /// "harness_cpu/prelude.h", the text, where that fails.
  std::string header(const std::vector<std::string>& flags, const Compile& compile);

 private:
  std::string key(const std::vector<std::string>& flags);

  BuildCache builds_;
  std::string include_folder_, identity_;
  FileHashes hashes_;
  std::set<std::string> failed_;  // keys
};

}  // namespace harness::cpu
