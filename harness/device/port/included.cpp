#include "harness/device/port/included.h"

#include <set>
#include <string>

namespace harness {

cpp_text::IncludeClosure included_by(const BuildSpec& spec, const std::vector<std::filesystem::path>& more) {
  std::vector<std::filesystem::path> folders(spec.include_dirs.begin(), spec.include_dirs.end());
  const std::filesystem::path beside = folders.empty() ? std::filesystem::path() : folders.front();
  folders.insert(folders.end(), more.begin(), more.end());
  std::set<std::string> defined;
  for (const auto& [name, value] : spec.defines) defined.insert(name);
  return cpp_text::include_closure(spec.source, spec.source_name, beside, folders, defined);
}

}  // namespace harness
