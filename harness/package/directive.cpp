#include "harness/package/directive.h"

#include <cctype>
#include <sstream>

namespace harness::package {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\f\v");
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

/// The word at the front of `text`, which goes on behind it.
std::string take_word(std::string_view& text) {
  text = trimmed(text);
  std::size_t end = 0;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) ++end;
  const std::string word(text.substr(0, end));
  text.remove_prefix(end);
  return word;
}

Directive include_of(std::string_view rest) {
  rest = trimmed(rest);
  Directive directive{"include", "", false};
  if (rest.empty() || (rest.front() != '<' && rest.front() != '"')) return directive;
  const std::size_t end = rest.find(rest.front() == '<' ? '>' : '"', 1);
  if (end == std::string_view::npos) return directive;
  directive.quoted = rest.front() == '"';
  directive.name = rest.substr(1, end - 1);
  return directive;
}

Directive directive_of(std::string_view line) {
  line = trimmed(line);
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  const std::string word = take_word(line);
  if (word == "include") return include_of(line);
  return {word, take_word(line), false};
}

/// Behind a literal that begins at `at`.
std::size_t behind_literal(std::string_view line, std::size_t at) {
  const char quote = line[at++];
  while (at < line.size() && line[at] != quote) at += line[at] == '\\' ? 2 : 1;
  return at + 1;
}

/// Whether a block comment is open at the end of the line. Quotes between digits (1'000) open no literal.
bool comment_open_after(std::string_view line, bool open) {
  for (std::size_t at = 0; at < line.size();) {
    if (open) {
      const std::size_t end = line.find("*/", at);
      if (end == std::string_view::npos) return true;
      open = false;
      at = end + 2;
    } else if (line.compare(at, 2, "//") == 0) {
      return false;
    } else if (line.compare(at, 2, "/*") == 0) {
      open = true;
      at += 2;
    } else if (line[at] == '"' ||
               (line[at] == '\'' && (at == 0 || std::isalnum(static_cast<unsigned char>(line[at - 1])) == 0))) {
      at = behind_literal(line, at);
    } else {
      ++at;
    }
  }
  return open;
}

}  // namespace

Directive DirectiveScan::next(std::string_view line) {
  const bool plain = !in_comment_ && !joined_;
  in_comment_ = comment_open_after(line, in_comment_);
  joined_ = line.ends_with('\\') || line.ends_with("\\\r");
  return plain ? directive_of(line) : Directive{};
}

bool guards_itself(const std::string& header) {
  DirectiveScan scan;
  std::istringstream lines(header);
  std::string guard;
  bool first = true;
  for (std::string line; std::getline(lines, line);) {
    const Directive directive = scan.next(line);
    if (directive.word.empty()) continue;
    if (directive.word == "pragma" && directive.name == "once") return true;
    if (first && directive.word == "ifndef") guard = directive.name;
    else if (!guard.empty() && directive.word == "define" && directive.name == guard) return true;
    first = false;
  }
  return false;
}

}  // namespace harness::package
