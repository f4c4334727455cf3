#pragma once
#include <string>
#include <utility>
#include <vector>

namespace harness::cuda {

/// The headers that a source reaches, found by reading #include and __has_include lines as text, conditions ignored: a
/// superset of what the compiler reads.
struct IncludeScan {
  /// (name as included, contents), in the order of discovery. A header found in none of the folders (the toolkit's, or
  /// one built in) has no contents here.
  std::vector<std::pair<std::string, std::string>> headers;
  /// "file:line" of an include whose name is a macro: what it stands for cannot be known.
  std::vector<std::string> computed;
};

/// `source_name` only tells the folder for quoted includes and names the file in `computed`.
IncludeScan scan_includes(const std::string& source_name, const std::string& source,
                          const std::vector<std::string>& include_dirs);

}  // namespace harness::cuda
