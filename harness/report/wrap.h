#pragma once
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

// Text for a terminal of a certain width. Widths are columns: code points, not bytes.
namespace harness::report {

/// Columns of the terminal that standard output is, or $COLUMNS; absent where nobody looks at one.
std::optional<std::size_t> terminal_columns();
/// The same of standard error.
std::optional<std::size_t> error_columns();

std::size_t display_width(const std::string& text);
/// `count` columns of a text, from column `first` on.
std::string cut_columns(const std::string& text, std::size_t first, std::size_t count);

/// One line in pieces of at most `width` columns (at least 1): broken at blanks, else after one of ,;/=_ within a word,
/// else anywhere. Blanks at its beginning stay.
std::vector<std::string> pieces(const std::string& line, std::size_t width);

/// Lines that are too long go on below themselves: under what follows their first gap of two blanks ("name  text"),
/// else indented by two more. A single word is never broken. Lines that fit stay as they are. Absent: all do.
std::string wrapped(const std::string& text, std::optional<std::size_t> width);

/// To standard output, as report::out, of sentences for a person: wrapped to the terminal. Not for what is copied:
/// sources, patches, JSON.
void tell_text(const std::string& text);
template <typename... Arguments>
void tell(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  tell_text(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace harness::report
