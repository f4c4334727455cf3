#include "harness/core/line_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace harness {
namespace {

constexpr std::size_t kMostCells = 16'000'000;  // of the table of common subsequences: 64 MB

using DiffLines = std::vector<std::string>;

/// What `patch` and `git apply` want of a last line without an end is part of that line.
DiffLines diff_lines(const std::string& text) {
  DiffLines lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (!text.empty() && text.back() != '\n') lines.back() += "\n\\ No newline at end of file";
  return lines;
}

/// One line of the edit script: ' ' in both, '-' only in a, '+' only in b.
struct LineEdit {
  char kind;
  std::string line;
};

/// Longest common subsequence of the ranges that differ, by dynamic programming from their ends.
void edit_middle(const DiffLines& a, const DiffLines& b, std::size_t from, std::size_t a_end, std::size_t b_end,
                 std::vector<LineEdit>& edits) {
  const std::size_t rows = a_end - from, columns = b_end - from;
  const bool compare = rows * columns <= kMostCells;
  std::vector<std::uint32_t> common(compare ? (rows + 1) * (columns + 1) : 0);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& { return common[i * (columns + 1) + j]; };
  if (compare) {
    for (std::size_t i = rows; i-- > 0;)
      for (std::size_t j = columns; j-- > 0;)
        at(i, j) = a[from + i] == b[from + j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  }
  std::size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (compare && i < rows && j < columns && a[from + i] == b[from + j]) {
      edits.push_back({' ', a[from + i]});
      ++i, ++j;
    } else if (i < rows && (!compare || j == columns || at(i + 1, j) >= at(i, j + 1))) {
      edits.push_back({'-', a[from + i++]});
    } else {
      edits.push_back({'+', b[from + j++]});
    }
  }
}

std::vector<LineEdit> edit_script(const DiffLines& a, const DiffLines& b) {
  std::size_t head = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
  std::size_t tail = 0;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  std::vector<LineEdit> edits;
  for (std::size_t i = 0; i < head; ++i) edits.push_back({' ', a[i]});
  edit_middle(a, b, head, a.size() - tail, b.size() - tail, edits);
  for (std::size_t i = a.size() - tail; i < a.size(); ++i) edits.push_back({' ', a[i]});
  return edits;
}

/// Which edits are shown: the changes and `context` lines around them.
std::vector<bool> shown_edits(const std::vector<LineEdit>& edits, std::size_t context) {
  std::vector<bool> shown(edits.size(), false);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].kind == ' ') continue;
    const std::size_t first = i < context ? 0 : i - context;
    const std::size_t last = std::min(edits.size() - 1, i + context);
    std::fill(shown.begin() + static_cast<std::ptrdiff_t>(first), shown.begin() + static_cast<std::ptrdiff_t>(last) + 1,
              true);
  }
  return shown;
}

/// "12,7": the first line and how many; an empty side names the line before it.
std::string line_range(std::size_t before, std::size_t count) {
  const std::size_t first = count == 0 ? before : before + 1;
  return count == 1 ? fmt::format("{}", first) : fmt::format("{},{}", first, count);
}

}  // namespace

std::string unified_diff(const std::string& a, const std::string& b, const std::string& a_name,
                         const std::string& b_name, int context) {
  const std::vector<LineEdit> edits = edit_script(diff_lines(a), diff_lines(b));
  const std::vector<bool> shown = shown_edits(edits, static_cast<std::size_t>(context));
  std::string text;
  std::size_t a_line = 0, b_line = 0;
  for (std::size_t i = 0; i < edits.size();) {
    if (!shown[i]) {
      ++a_line, ++b_line, ++i;
      continue;
    }
    std::string hunk;
    std::size_t a_count = 0, b_count = 0;
    for (; i < edits.size() && shown[i]; ++i) {
      hunk += edits[i].kind + edits[i].line + '\n';
      a_count += edits[i].kind != '+';
      b_count += edits[i].kind != '-';
    }
    text += fmt::format("@@ -{} +{} @@\n{}", line_range(a_line, a_count), line_range(b_line, b_count), hunk);
    a_line += a_count, b_line += b_count;
  }
  return text.empty() ? "" : fmt::format("--- {}\n+++ {}\n{}", a_name, b_name, text);
}

}  // namespace harness
