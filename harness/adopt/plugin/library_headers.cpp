#include "harness/adopt/plugin/library_headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "harness/core/error.h"
#include "harness/cpp_text/includes.h"
#include "harness/system/files.h"

namespace harness::adopt {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostHeaderBytes = 32 << 20;

/// Toolkits have all others, and the cpu device its own.
bool lies_in_no_toolkit(const std::string& header) {
  return header.starts_with("cute/") || header.starts_with("cutlass/");
}

class Closure {
 public:
  explicit Closure(const std::vector<std::string>& folders) : folders_(folders) {}

  void add(const fs::path& name) {
    const std::string key = name.lexically_normal().generic_string();
    if (!lies_in_no_toolkit(key) || copies_.contains(key)) return;
    for (const fs::path folder : folders_) {
      std::error_code failed;
      if (!fs::is_regular_file(folder / key, failed)) continue;
      const std::string& text = copies_[key] = read_file((folder / key).string(), Error::Kind::bad_input);
      if ((bytes_ += text.size()) > kMostHeaderBytes)
        throw bad_input(fmt::format("the headers that {} brings have more than {} MiB", key, kMostHeaderBytes >> 20));
      return follow(std::string(text), fs::path(key).parent_path());
    }
  }

  std::vector<std::pair<std::string, std::string>> taken() const { return {copies_.begin(), copies_.end()}; }

 private:
  /// Whatever the conditions around it: a GPU's compiler takes other branches than the cpu device.
  void follow(const std::string& text, const fs::path& beside) {
    for (const cpp_text::Include& include : cpp_text::named_files(text).includes) {
      if (include.name.empty()) continue;
      add(include.name);
      add(beside / include.name);
    }
  }

  const std::vector<std::string>& folders_;
  std::map<std::string, std::string> copies_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> library_headers(const std::vector<std::string>& included,
                                                                 const std::vector<std::string>& folders) {
  Closure closure(folders);
  for (const std::string& name : included) closure.add(name);
  return closure.taken();
}

std::vector<std::string> top_folders(const std::vector<std::pair<std::string, std::string>>& headers) {
  std::vector<std::string> folders;
  for (const auto& [header, text] : headers)
    if (const std::string top = header.substr(0, header.find('/')); folders.empty() || folders.back() != top)
      folders.push_back(top);
  return folders;
}

}  // namespace harness::adopt
