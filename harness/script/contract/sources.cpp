#include "harness/script/contract/sources.h"

#include <optional>
#include <set>
#include <sstream>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/include_line.h"
#include "harness/script/contract/manifest.h"

namespace harness::script {
namespace {

namespace fs = std::filesystem;

class Scan {
 public:
  explicit Scan(std::vector<fs::path> folders) : folders_(std::move(folders)) {}

  void read(const fs::path& from, const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const std::string name = included_name(line);
      if (name.empty()) continue;
      const auto file = resolve(from, name);
      if (!file || !seen_.insert(file->string()).second) continue;
      const std::string included = read_text(*file, name);
      hash_.field(name).field(included);
      files_.push_back({*file, included});
      read(file->parent_path(), included);
    }
  }

  Sha256& hash() { return hash_; }
  std::vector<IncludedFile> take_files() { return std::move(files_); }

 private:
  /// As the compiler looks: beside the including file, then in each folder. Only files inside the folders count: a
  /// builder sees no others.
  std::optional<fs::path> resolve(const fs::path& beside, const std::string& name) const {
    if (const auto found = inside(beside / name)) return found;
    for (const fs::path& folder : folders_) {
      if (const auto found = inside(folder / name)) return found;
    }
    return std::nullopt;
  }

  std::optional<fs::path> inside(const fs::path& candidate) const {
    std::error_code failed;
    const fs::path file = fs::canonical(candidate, failed);
    if (failed || fs::is_directory(file)) return std::nullopt;
    for (const fs::path& folder : folders_) {
      const fs::path relative = file.lexically_relative(fs::weakly_canonical(folder, failed));
      if (relative.empty() || *relative.begin() == "..") continue;
      if (!fs::is_regular_file(file))  // a pipe: a compiler would wait for its writer
        throw bad_input(file.string() + ": is included and is no plain file; replace it");
      return file;
    }
    return std::nullopt;
  }

  std::vector<fs::path> folders_;
  std::set<std::string> seen_;
  std::vector<IncludedFile> files_;
  Sha256 hash_;
};

}  // namespace

SourceText read_source(const fs::path& file, const std::string& shown, const std::vector<fs::path>& include_dirs) {
  return scan_source(read_text(file, shown), file.parent_path(), include_dirs);
}

SourceText scan_source(const std::string& text, const fs::path& folder, const std::vector<fs::path>& include_dirs) {
  SourceText source;
  source.text = text;
  std::vector<fs::path> folders{folder};
  folders.insert(folders.end(), include_dirs.begin(), include_dirs.end());
  Scan scan(folders);
  scan.hash().field(source.text);
  scan.read(folder, source.text);
  source.hash = scan.hash().hex();
  source.included = scan.take_files();
  return source;
}

std::string relative_name(const fs::path& file, const fs::path& folder) {
  std::error_code failed;
  return fs::weakly_canonical(file, failed).lexically_relative(fs::weakly_canonical(folder, failed)).generic_string();
}

}  // namespace harness::script
