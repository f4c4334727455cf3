#include "harness/adopt/plugin/moved_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "harness/core/error.h"

namespace harness::adopt {
namespace {

using TextLines = std::vector<std::string>;

TextLines text_lines(const std::string& text) {
  TextLines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

/// For each line of `a` the line of `b` that it stays, in order and as many as possible.
std::vector<std::optional<std::size_t>> same_lines(const TextLines& a, const TextLines& b) {
  std::vector<std::vector<unsigned>> common(a.size() + 1, std::vector<unsigned>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;)
    for (std::size_t j = b.size(); j-- > 0;)
      common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
  std::vector<std::optional<std::size_t>> same(a.size());
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) same[i++] = j++;
    else if (common[i + 1][j] >= common[i][j + 1]) ++i;
    else ++j;
  }
  return same;
}

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}
bool is_include(const std::string& line) {
  return line.starts_with("#include");
}

class LineMover {
 public:
  LineMover(const std::string& from, const std::string& to, const std::string& file, const std::string& edited,
            const std::string& shown)
      : from_(text_lines(from)),
        to_(text_lines(to)),
        file_(text_lines(file)),
        made_(text_lines(edited)),
        shown_(shown) {
    if (made_.size() != file_.size() || from_.size() * file_.size() > 16'000'000 ||
        from_.size() * to_.size() > 16'000'000)
      throw bad_input(fmt::format("{} is too large, or a parameter of it goes over several lines", shown));
    place_ = same_lines(from_, file_);
    before_.resize(file_.size() + 1);
    gone_.resize(file_.size());
  }

  std::string moved() {
    const auto common = same_lines(from_, to_);
    std::size_t b = 0;
    for (std::size_t a = 0; a <= from_.size(); ++a) {
      if (a < from_.size() && !common[a]) continue;
      const std::size_t next = a < from_.size() ? *common[a] : to_.size();
      std::size_t first = a;  // the first line before `a` that is gone
      while (first > 0 && !common[first - 1]) --first;
      hunk(first, a, b, next);
      b = next + 1;
    }
    std::string text;
    for (std::size_t i = 0; i <= file_.size(); ++i) {
      for (const std::string& line : before_[i]) text += line + '\n';
      if (i < file_.size() && !gone_[i]) text += made_[i] + '\n';
    }
    return text;
  }

 private:
  /// TextLines [a, a_end) of `from` became [b, b_end) of `to`.
  void hunk(std::size_t a, std::size_t a_end, std::size_t b, std::size_t b_end) {
    std::optional<std::size_t> at;
    for (std::size_t i = a; i < a_end; ++i) {
      if (!place_[i]) {
        if (is_blank(from_[i]) || is_include(from_[i])) continue;
        throw bad_input(fmt::format("the winner changes the line '{}', which is not in {}", from_[i], shown_));
      }
      gone_[*place_[i]] = true;
      if (!at) at = place_[i];
    }
    TextLines added;
    for (std::size_t i = b; i < b_end; ++i)
      if (is_include(to_[i])) include(to_[i]);
      else added.push_back(to_[i]);
    if (std::ranges::all_of(added, is_blank)) return;
    if (!at && a > 0 && place_[a - 1]) at = *place_[a - 1] + 1;
    if (!at && a_end < from_.size() && place_[a_end]) at = place_[a_end];
    if (!at && a_end == from_.size()) at = file_.size();
    if (!at)
      throw bad_input(fmt::format("the winner adds '{}' between lines that are not in {}", added.front(), shown_));
    before_[*at].insert(before_[*at].end(), added.begin(), added.end());
  }

  void include(const std::string& line) {
    if (line.find("<harness/") != std::string::npos)
      throw bad_input(fmt::format("the winner has {}, a header that {} is not built with", line, shown_));
    if (std::ranges::find(file_, line) != file_.end()) return;
    std::size_t at = 0;
    for (std::size_t i = 0; i < file_.size(); ++i)
      if (is_include(file_[i])) {
        at = i;
        break;
      }
    before_[at].push_back(line);
  }

  TextLines from_, to_, file_, made_;
  const std::string& shown_;
  std::vector<std::optional<std::size_t>> place_;  // of lines of `from`: in the file
  std::vector<TextLines> before_;                  // what is put before each line of the file
  std::vector<bool> gone_;
};

}  // namespace

std::string with_moved_lines(const std::string& from, const std::string& to, const std::string& file,
                             const std::string& edited, const std::string& shown) {
  std::string text = LineMover(from, to, file, edited, shown).moved();
  if (!file.empty() && file.back() != '\n' && !text.empty()) text.pop_back();
  return text;
}

}  // namespace harness::adopt
