#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/cpp_text/includes.h"

namespace harness::cpp_text {

/// A file as a compiler finds it.
struct HeaderFile {
  std::filesystem::path path;  // by which it is found: headers beside it are looked for there
  std::filesystem::path file;  // without symbolic links
  std::size_t folder = 0;      // of the folders, the one in which it was found; their number: beside its includer
};

/// The folders of a build. What lies in none of them belongs to the toolkit or the system, and a builder sees no
/// others.
class IncludeFolders {
 public:
  explicit IncludeFolders(const std::vector<std::filesystem::path>& folders);

  /// As compilers look: a quoted name beside the including file first, then in each folder. Of `#include_next`, which
  /// begins behind the folder of its includer, all that it may mean.
  std::vector<HeaderFile> find(const Include& include, const std::filesystem::path& beside) const;

  std::size_t count() const { return folders_.size(); }

 private:
  std::optional<HeaderFile> inside(const std::filesystem::path& candidate, std::size_t folder) const;

  std::vector<std::filesystem::path> folders_, real_;
};

}  // namespace harness::cpp_text
