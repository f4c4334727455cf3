#include "harness/device/cpu/compile/leading_headers.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "harness/cpp_text/text.h"
#include "harness/system/files.h"

namespace harness::cpu {
namespace {

constexpr std::array<std::string_view, 2> kSmallFloats = {"cuda_bf16.h", "cuda_fp16.h"};
constexpr std::size_t kMostFiles = 64;  // a source that begins with more is built without

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
  const cpp_text::Text read = cpp_text::read_text(text);
  for (std::size_t i = 0; i < read.tokens.size(); ++i) {
    if (read.tokens[i].kind != cpp_text::Token::Kind::directive) break;
    const cpp_text::Directive& directive = read.directives[i];  // all tokens so far are directives
    const cpp_text::Tokens& tokens = directive.tokens;
    const bool alone = tokens.size() == 1;
    if (alone && directive.name.is("include") && tokens[0].kind == cpp_text::Token::Kind::header)
      names.emplace_back(tokens[0].text.substr(1, tokens[0].text.size() - 2));
    else if (!(alone && directive.name.is("pragma") && tokens[0].is("once"))) break;
  }
  return names;
}

std::vector<std::string> leading_small_floats(const std::string& source, const std::vector<std::string>& folders) {
  Search search(folders);
  search.begin_of(source);
  std::vector<std::string> headers;
  for (const std::string_view name : kSmallFloats)
    if (search.saw(name)) headers.emplace_back(name);
  return headers;
}

}  // namespace harness::cpu
