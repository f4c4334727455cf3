#include "harness/script/contract/sources.h"

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/cpp_text/closure.h"
#include "harness/script/contract/manifest.h"

namespace harness::script {

namespace fs = std::filesystem;

SourceText read_source(const fs::path& file, const std::string& shown, const std::vector<fs::path>& include_dirs,
                       const std::set<std::string>& defined) {
  return scan_source(read_text(file, shown), shown, file.parent_path(), include_dirs, defined);
}

SourceText scan_source(const std::string& text, const std::string& shown, const fs::path& folder,
                       const std::vector<fs::path>& include_dirs, const std::set<std::string>& defined) {
  std::vector<fs::path> folders{folder};
  folders.insert(folders.end(), include_dirs.begin(), include_dirs.end());
  cpp_text::IncludeClosure closure = cpp_text::include_closure(text, shown, folder, folders, defined);
  if (!closure.refused.empty()) throw bad_input(closure.refused.front());
  SourceText source{text, std::move(closure.files), ""};
  Sha256 hash;
  hash.field(text);
  for (const cpp_text::IncludedFile& file : source.included) hash.field(file.name).field(file.text);
  source.hash = hash.hex();
  return source;
}

std::vector<std::pair<std::string, std::string>> hashes_of(const std::vector<cpp_text::IncludedFile>& included) {
  std::vector<std::pair<std::string, std::string>> hashes;
  for (const cpp_text::IncludedFile& file : included) hashes.emplace_back(file.path.string(), sha256_hex(file.text));
  return hashes;
}

std::string relative_name(const fs::path& file, const fs::path& folder) {
  std::error_code failed;
  return fs::weakly_canonical(file, failed).lexically_relative(fs::weakly_canonical(folder, failed)).generic_string();
}

}  // namespace harness::script
