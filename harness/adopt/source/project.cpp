#include "harness/adopt/source/project.h"

#include <algorithm>
#include <set>
#include <string>

namespace fs = std::filesystem;

namespace harness::adopt {

std::vector<fs::path> sources_below(const fs::path& folder) {
  constexpr std::size_t kMost = 20000;
  static const std::set<std::string> kinds{".cu", ".cuh", ".cpp", ".cc", ".cxx", ".h", ".hpp", ".inl"};
  std::vector<fs::path> sources;
  std::error_code failed;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failed);
  std::size_t entries = 0;
  for (; !failed && entry != fs::recursive_directory_iterator() && entries < kMost; ++entries) {
    if (entry->path().filename().string().starts_with(".")) entry.disable_recursion_pending();
    else if (kinds.contains(entry->path().extension().string()) && entry->is_regular_file(failed))
      sources.push_back(entry->path());
    entry.increment(failed);
  }
  if (entries == kMost) return {};
  std::ranges::sort(sources);
  return sources;
}

std::vector<fs::path> folders_of_project(const fs::path& file) {
  constexpr std::size_t kDeepest = 8;
  std::vector<fs::path> folders;
  std::error_code failed;
  for (fs::path folder = file.parent_path(); folders.size() < kDeepest && folder.has_relative_path();
       folder = folder.parent_path()) {
    folders.push_back(folder);
    if (fs::exists(folder / ".git", failed)) return folders;
  }
  return {};
}

}  // namespace harness::adopt
