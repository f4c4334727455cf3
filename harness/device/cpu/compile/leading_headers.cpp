#include "harness/device/cpu/compile/leading_headers.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "harness/system/files.h"

namespace harness::cpu {
namespace {

constexpr std::array<std::string_view, 2> kSmallFloats = {"cuda_bf16.h", "cuda_fp16.h"};
constexpr std::size_t kMostFiles = 64;  // a source that begins with more is built without

/// Behind blanks, ends of lines and comments. Nothing behind a comment with a backslash: it may end elsewhere than it
/// seems to.
std::string_view next_line(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with("//") && !text.starts_with("/*")) return text;
    const std::string_view end = text[1] == '/' ? "\n" : "*/";
    const std::size_t at = text.find(end, 2);
    if (at == std::string_view::npos || text.find('\\') < at) return {};
    text.remove_prefix(at + end.size());
  }
}

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

/// What `word` stands before in a directive (`#include <x>`); "" in any other line.
std::string_view behind(std::string_view word, std::string_view line) {
  if (!line.starts_with('#')) return {};
  line = without_blanks(line.substr(1));
  return line.starts_with(word) ? without_blanks(line.substr(word.size())) : std::string_view{};
}

/// "x" of "<x>" and of "<x>  // a comment"; "" of anything else.
std::string_view in_brackets(std::string_view text) {
  const std::size_t end = text.find('>');
  if (!text.starts_with('<') || end == std::string_view::npos) return {};
  const std::string_view rest = without_blanks(text.substr(end + 1));
  return rest.empty() || rest.starts_with("//") ? text.substr(1, end - 1) : std::string_view{};
}

class Search {
 public:
  explicit Search(const std::vector<std::string>& folders) : folders_(folders) {}

  void begin_of(const std::string& text) {
    for (const std::string& name : leading_includes(text)) {
      if (seen_.size() >= kMostFiles || !seen_.insert(name).second) continue;
      if (std::ranges::find(kSmallFloats, name) != kSmallFloats.end()) continue;
      if (name.find("..") == std::string::npos && !name.starts_with('/')) begin_of(content(name));
    }
  }
  bool saw(std::string_view name) const { return seen_.contains(std::string(name)); }

 private:
  /// "" of a header that lies in none of the folders: it is the compiler's or the system's.
  std::string content(const std::string& name) const {
    for (const std::string& folder : folders_)
      if (auto text = read_file_if_any(folder + "/" + name)) return std::move(*text);
    return "";
  }

  const std::vector<std::string>& folders_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<std::string> leading_includes(const std::string& text) {
  std::vector<std::string> names;
  for (std::string_view rest = next_line(text); !rest.empty(); rest = next_line(rest)) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size());
    if (line.find('\\') != std::string_view::npos) break;  // the next line may belong to it
    const std::string_view name = in_brackets(behind("include", line));
    if (!name.empty()) names.emplace_back(name);
    else if (!behind("pragma", line).starts_with("once")) break;
  }
  return names;
}

std::vector<std::string> leading_small_floats(const std::string& source, const std::vector<std::string>& folders) {
  Search search(folders);
  search.begin_of(source);
  std::vector<std::string> found;
  for (const std::string_view name : kSmallFloats)
    if (search.saw(name)) found.emplace_back(name);
  return found;
}

}  // namespace harness::cpu
