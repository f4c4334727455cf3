#include "harness/shipping/git_revision.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>

#include "harness/core/error.h"
#include "harness/cpp_text/includes.h"
#include "harness/system/files.h"
#include "harness/system/run_program.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargest = 4 << 20;

class Git {
 public:
  Git(fs::path folder, std::string revision)
      : program_(find_program("git")), folder_(std::move(folder)), revision_(std::move(revision)) {
    if (program_.empty()) throw environment_error("git was not found in PATH, and --base names one of its revisions");
    if (revision_.empty() || revision_.front() == '-' || revision_.find(':') != std::string::npos)
      throw bad_input(fmt::format("--base '{}' is no revision; name a branch, a tag or a commit", revision_));
  }

  /// Nothing: git does not have it; `why_` says why.
  std::optional<std::string> show(const std::string& name) {
    const ProcessResult result =
        run_process({program_, "-C", folder_.string(), "-c", "safe.directory=*", "show", revision_ + ":./" + name},
                    "/tmp", CompileLimits{}, {}, kLargest);
    if (result.exit_status == 0) return result.output;
    why_ = result.output.substr(0, result.output.find('\n'));
    return std::nullopt;
  }
  const std::string& why() const { return why_; }

 private:
  std::string program_;
  fs::path folder_;
  std::string revision_, why_;
};

/// Stays in the folder.
bool is_beside(const std::string& name) {
  const fs::path normal = fs::path(name).lexically_normal();
  return normal.is_relative() && !normal.empty() && *normal.begin() != "..";
}

}  // namespace

std::string file_at_revision(const std::string& file, const std::string& revision, const std::string& folder) {
  const fs::path whole = fs::absolute(file);
  Git git(whole.parent_path(), revision);
  const std::string name = whole.filename().string();
  std::set<std::string> known{name}, open{name};
  while (!open.empty()) {
    const std::string each = *open.begin();
    open.erase(open.begin());
    const auto text = git.show(each);
    if (!text && each == name) throw bad_input(fmt::format("git has no {} at {}: {}", name, revision, git.why()));
    if (!text) continue;  // a header from elsewhere
    std::error_code failed;
    fs::create_directories((fs::path(folder) / each).parent_path(), failed);
    write_file(folder + "/" + each, *text);
    for (const cpp_text::Include& include : cpp_text::named_files(*text).includes)
      if (include.quoted && is_beside(include.name) && known.insert(include.name).second) open.insert(include.name);
  }
  return folder + "/" + name;
}

}  // namespace harness
