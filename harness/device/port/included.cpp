#include "harness/device/port/included.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "harness/core/hash.h"
#include "harness/core/text_changed.h"

namespace harness {

cpp_text::IncludeClosure included_by(const BuildSpec& spec, const std::vector<std::filesystem::path>& more) {
  std::vector<std::filesystem::path> folders(spec.include_dirs.begin(), spec.include_dirs.end());
  const std::filesystem::path beside = folders.empty() ? std::filesystem::path() : folders.front();
  folders.insert(folders.end(), more.begin(), more.end());
  std::set<std::string> defined;
  for (const auto& [name, value] : spec.defines) defined.insert(name);
  return cpp_text::include_closure(spec.source, spec.source_name, beside, folders, defined);
}

void refuse_changed(const BuildSpec& spec, const cpp_text::IncludeClosure& included) {
  if (spec.included.empty()) return;
  const std::map<std::string, std::string> known(spec.included.begin(), spec.included.end());
  const auto refuse = [&](const std::string& path, const char* what) {
    return TextChanged(
        fmt::format("{} {} since {} was read, and the record would name a text that was not compiled; put "
                    "it back and resume, or begin anew",
                    path, what, spec.source_name));
  };
  std::set<std::string> met;
  for (const cpp_text::IncludedFile& file : included.files) {
    const std::string path = file.path.string();
    met.insert(path);
    if (const auto then = known.find(path); then != known.end()) {
      if (then->second != sha256_hex(file.text)) throw refuse(path, "has changed");
    } else if (std::ranges::any_of(spec.include_dirs, [&](const std::string& folder) {
                 std::error_code absent;
                 return path.starts_with(std::filesystem::weakly_canonical(folder, absent).string() + "/");
               })) {
      throw refuse(path, "has come to be included");
    }
  }
  for (const auto& [path, hash] : known)
    if (!met.contains(path)) throw refuse(path, "is not included any more");
}

}  // namespace harness
