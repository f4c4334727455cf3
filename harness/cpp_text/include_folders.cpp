#include "harness/cpp_text/include_folders.h"

#include <algorithm>

namespace harness::cpp_text {

namespace fs = std::filesystem;

IncludeFolders::IncludeFolders(const std::vector<fs::path>& folders) : folders_(folders) {
  std::error_code failed;
  for (const fs::path& folder : folders) real_.push_back(fs::weakly_canonical(folder, failed));
}

std::vector<HeaderFile> IncludeFolders::find(const Include& include, const fs::path& beside) const {
  const bool next = include.directive.ends_with("_next");
  std::vector<HeaderFile> files;
  const auto add = [&](const fs::path& place, std::size_t folder) {
    if (!next && !files.empty()) return;
    if (auto file = inside(place / include.name, folder)) files.push_back(std::move(*file));
  };
  if (include.quoted) add(beside, folders_.size());
  for (std::size_t i = 0; i < folders_.size(); ++i) add(folders_[i], i);
  return files;
}

std::optional<HeaderFile> IncludeFolders::inside(const fs::path& candidate, std::size_t folder) const {
  std::error_code failed;
  fs::path file = fs::canonical(candidate, failed);
  if (failed || fs::is_directory(file, failed)) return std::nullopt;
  const auto holds = [&](const fs::path& real) {
    const fs::path relative = file.lexically_relative(real);
    return !relative.empty() && *relative.begin() != "..";
  };
  if (std::none_of(real_.begin(), real_.end(), holds)) return std::nullopt;
  return HeaderFile{candidate.lexically_normal(), std::move(file), folder};
}

}  // namespace harness::cpp_text
