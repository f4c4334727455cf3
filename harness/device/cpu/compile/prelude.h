#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/system/build_cache.h"
#include "harness/system/files.h"

namespace harness::cpu {

/// What stands before the first line of every candidate (guest/harness_cpu/prelude.h), precompiled: reading it as text
/// is a third of what building a small kernel takes. One precompiled header a set of flags, and of headers that a
/// source begins with, lies in the build cache. Where g++ finds that it does not fit, because a define of the candidate
/// is a word of the emulation's headers, g++ reads the text instead, by itself.
class Prelude {
 public:
  /// `identity`: of the compiler and the processor.
  Prelude(const std::string& cache_folder, std::string include_folder, std::string identity);

  /// g++ with these arguments; whether it succeeded.
  using Compile = std::function<bool(const std::vector<std::string>& arguments, const std::string& scratch)>;

  struct Request {
    std::vector<std::string> flags;    // g++'s, without the candidate's own defines and folders
    std::vector<std::string> headers;  // of the emulation, which the source includes first in any case
    bool rare = false;                 // few builds will ask for it
  };

  /// The file to -include. It is made with `compile` when it is first asked for, where that is rare once it has paid to
  /// make it, and again after a header of the emulation has changed. "harness_cpu/prelude.h", the text, until then and
  /// where that fails.
  std::string header(const Request& request, const Compile& compile);

 private:
  std::string key(const Request& request);
  bool is_worth_making(const std::string& key, const Request& request);

  BuildCache builds_;
  std::string include_folder_, identity_;
  FileHashes hashes_;
  std::set<std::string> failed_;          // keys
  std::map<std::string, int> asked_for_;  // how often what is rare, by key
};

}  // namespace harness::cpu
