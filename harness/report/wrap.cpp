#include "harness/report/wrap.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "harness/report/out.h"

namespace harness::report {
namespace {

constexpr std::size_t kNarrowest = 20;  // a terminal says less where it does not know

std::optional<std::size_t> columns_of(int descriptor) {
  if (const char* said = std::getenv("COLUMNS"); said != nullptr && std::atoi(said) > static_cast<int>(kNarrowest))
    return static_cast<std::size_t>(std::atoi(said));
  winsize size{};
  if (isatty(descriptor) != 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > kNarrowest)
    return size.ws_col;
  return std::nullopt;
}

bool begins_character(char c) {
  return (c & 0xC0) != 0x80;
}

/// Bytes of the first `columns` characters of a text, from `begin` on.
std::size_t end_of_columns(const std::string& text, std::size_t begin, std::size_t columns) {
  std::size_t at = begin, taken = 0;
  for (; at < text.size(); ++at)
    if (begins_character(text[at]) && taken++ == columns) break;
  return at;
}

/// Where the text after the first gap of two blanks begins, if it leaves more than half of the line; else two more than
/// the line's own indentation.
std::size_t hanging_indent(const std::string& line, std::size_t width) {
  const std::size_t own = std::min(line.find_first_not_of(' '), line.size());
  if (const std::size_t gap = line.find("  ", own); gap != std::string::npos) {
    const std::size_t text = line.find_first_not_of(' ', gap);
    if (text != std::string::npos && text <= width / 2) return display_width(line.substr(0, text));
  }
  return std::min(own + 2, width / 2);
}

std::string wrapped_line(const std::string& line, std::size_t width) {
  if (display_width(line) <= width) return line;
  const std::size_t indent = hanging_indent(line, width);
  std::string text, row = line.substr(0, std::min(line.find_first_not_of(' '), line.size()));
  bool begun = false;  // the row holds a word
  for (std::size_t at = row.size(); at < line.size();) {
    const std::size_t blanks = std::min(line.find_first_not_of(' ', at), line.size());
    const std::size_t end = std::min(line.find(' ', blanks), line.size());
    const std::string gap = line.substr(at, blanks - at), word = line.substr(blanks, end - blanks);
    at = end;
    if (begun && display_width(row) + gap.size() + display_width(word) > width) {
      text += row + "\n";
      row = std::string(indent, ' ') + word;
    } else {
      row += gap + word;
    }
    begun = true;
  }
  return text + row;
}

}  // namespace

std::string cut_columns(const std::string& text, std::size_t first, std::size_t count) {
  const std::size_t begin = end_of_columns(text, 0, first);
  return text.substr(begin, end_of_columns(text, begin, count) - begin);
}

std::optional<std::size_t> terminal_columns() {
  return columns_of(STDOUT_FILENO);
}

std::optional<std::size_t> error_columns() {
  return columns_of(STDERR_FILENO);
}

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::vector<std::string> pieces(const std::string& line, std::size_t width) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (display_width(line.substr(begin)) > width) {
    const std::size_t full = end_of_columns(line, begin, std::max<std::size_t>(width, 1));
    const std::size_t first = line.find_first_not_of(' ', begin);
    const std::size_t blank = line.rfind(' ', full);
    std::size_t end = full, next = full;
    if (blank != std::string::npos && blank > first && blank < line.size()) {
      end = blank;
      next = std::min(line.find_first_not_of(' ', blank), line.size());
    } else if (const std::size_t mark = line.find_last_of(",;/=_", full - 1);
               mark != std::string::npos && mark > first && mark + 1 <= full) {
      end = next = mark + 1;
    }
    parts.push_back(line.substr(begin, end - begin));
    begin = next;
  }
  if (begin < line.size() || parts.empty()) parts.push_back(line.substr(begin));
  return parts;
}

std::string wrapped(const std::string& text, std::optional<std::size_t> width) {
  if (!width) return text;
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += wrapped_line(text.substr(begin, end - begin), *width);
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

void tell_text(const std::string& text) {
  out_text(wrapped(text, terminal_columns()));
}

}  // namespace harness::report
