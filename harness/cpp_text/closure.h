#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace harness::cpp_text {

/// A file that a text includes, directly or not.
struct IncludedFile {
  std::string name;            // as the include writes it
  std::filesystem::path path;  // without symbolic links; "" of one that lies in none of the folders
  std::string text;
};

/// All that a compiler may read of the build's folders to compile a text: a superset of what it does read, because
/// no condition is decided.
struct IncludeClosure {
  std::vector<IncludedFile> files;   // in the order in which they are met, each behind its first includer
  std::vector<IncludedFile> absent;  // the toolkit's and the system's, each name once
  /// Why the closure is not all: sentences "file:line: ...". A build is refused for the first of them.
  std::vector<std::string> refused;
  /// The same sentences of includes whose names macros compute, as the text tells: another definition changes that.
  std::vector<std::string> computed;
};

/// `shown` names the text in sentences; `folder` is where it lies; `outside` are macros that the build defines (-D).
IncludeClosure include_closure(std::string_view text, const std::string& shown, const std::filesystem::path& folder,
                               const std::vector<std::filesystem::path>& folders,
                               const std::set<std::string>& outside = {});

}  // namespace harness::cpp_text
