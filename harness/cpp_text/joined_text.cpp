#include "harness/cpp_text/joined_text.h"

#include <algorithm>
#include <initializer_list>

namespace harness::cpp_text {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlanks = " \t\v\f\r";

/// The character that the trigraph at `at` stands for; 0: there is none.
char trigraph(std::string_view text, std::size_t at) {
  constexpr std::string_view kLast = "=/'()!<>-", kMeaning = "#\\^[]|{}~";
  if (at + 2 >= text.size() || text[at] != '?' || text[at + 1] != '?') return 0;
  const std::size_t which = kLast.find(text[at + 2]);
  return which == std::string_view::npos ? 0 : kMeaning[which];
}

/// Behind the end of the line that a backslash right before `at` splices; npos: it splices none.
std::size_t behind_splice(std::string_view text, std::size_t at, const Dialect& dialect) {
  const std::size_t end = dialect.blank_splices ? std::min(text.find_first_not_of(kBlanks, at), text.size()) : at;
  if (end < text.size() && text[end] == '\n') return end + 1;
  if (text.substr(at, 2) == "\r\n") return at + 2;
  // Among the blanks that were skipped a lone return may have ended the line.
  if (dialect.returns_end_lines)
    for (std::size_t i = at; i < text.size() && i <= end; ++i)
      if (text[i] == '\r') return i + 1;
  return std::string_view::npos;
}

bool has_lone_return(std::string_view text) {
  for (std::size_t at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1))
    if (at + 1 >= text.size() || text[at + 1] != '\n') return true;
  return false;
}

/// A backslash, or its trigraph, with blanks and an end of line behind it.
bool has_blank_splice(std::string_view text) {
  for (std::size_t at = text.find_first_of("\\/"); at != std::string_view::npos; at = text.find_first_of("\\/", at + 1))
    if (at + 1 < text.size() && kBlanks.find(text[at + 1]) != std::string_view::npos &&
        text.substr(at + 1, 2) != "\r\n" && (text[at] == '\\' || (at >= 2 && trigraph(text, at - 2) == '\\')))
      if (const std::size_t end = text.find_first_not_of(kBlanks, at + 1);
          end != std::string_view::npos && text[end] == '\n')
        return true;
  return false;
}

/// A literal with the prefix of a raw string right behind it.
bool has_raw_suffix(std::string_view text) {
  for (std::size_t at = text.find("R\""); at != std::string_view::npos; at = text.find("R\"", at + 1)) {
    const std::size_t before = text.find_last_not_of("u8UL\\\r\n \t?/", at == 0 ? 0 : at - 1);
    if (at > 0 && before != std::string_view::npos && (text[before] == '"' || text[before] == '\'')) return true;
  }
  return false;
}

/// An #include whose `<name>` holds what elsewhere begins a comment or a literal.
bool has_odd_header_name(std::string_view text) {
  for (const std::string_view directive : {"include", "import", "embed"})
    for (std::size_t at = text.find(directive); at != std::string_view::npos; at = text.find(directive, at + 1)) {
      const std::string_view line = text.substr(at, text.find('\n', at) - at);
      const std::size_t open = line.find_first_of("<\"");
      if (open == std::string_view::npos) continue;
      const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
      const std::string_view name = line.substr(open + 1, close == std::string_view::npos ? close : close - open - 1);
      if (name.find_first_of("\\\"'") != std::string_view::npos || name.find("/*") != std::string_view::npos ||
          name.find("//") != std::string_view::npos)
        return true;
    }
  return false;
}

}  // namespace

std::vector<Dialect> dialects_of(std::string_view text) {
  std::vector<Dialect> all{Dialect{}};
  const auto both = [&](bool Dialect::*flag) {
    for (std::size_t i = 0, before = all.size(); i < before; ++i) {
      all.push_back(all[i]);
      all.back().*flag = !(all.back().*flag);
    }
  };
  if (text.find("??") != std::string_view::npos) both(&Dialect::trigraphs);
  if (has_blank_splice(text)) both(&Dialect::blank_splices);
  if (has_lone_return(text)) both(&Dialect::returns_end_lines);
  if (has_raw_suffix(text)) both(&Dialect::suffixes);
  if (has_odd_header_name(text)) both(&Dialect::header_names);
  return all;
}

JoinedText::JoinedText(std::string_view written, const Dialect& dialect) : source_(written), text_(written) {
  const bool marked = written.starts_with(kByteOrderMark);
  const bool as_written = !marked && written.find('\\') == std::string_view::npos &&
                          !(dialect.trigraphs && written.find("??") != std::string_view::npos) &&
                          !(dialect.returns_end_lines && has_lone_return(written));
  if (as_written) {
    runs_.push_back({0, 0});
    return;
  }
  kept_.reserve(written.size());
  begin_run(marked ? kByteOrderMark.size() : 0);
  replace(dialect);
  text_ = kept_;
}

void JoinedText::replace(const Dialect& dialect) {
  std::size_t at = runs_.front().written;
  while (at < source_.size()) {
    const char third = dialect.trigraphs ? trigraph(source_, at) : '\0';
    const std::size_t behind = at + (third != 0 ? 3 : 1);
    char c = third != 0 ? third : source_[at];
    if (c == '\\') {
      if (const std::size_t next = behind_splice(source_, behind, dialect); next != std::string_view::npos) {
        at = next;
        begin_run(at);
        continue;
      }
    }
    if (c == '\r' && dialect.returns_end_lines && source_.substr(at, 2) != "\r\n") c = '\n';
    kept_ += c;
    at = behind;
    if (third != 0) begin_run(at);
  }
}

std::size_t JoinedText::written(std::size_t at) const {
  const auto next = std::upper_bound(runs_.begin(), runs_.end(), at,
                                     [](std::size_t place, const Run& run) { return place < run.joined; });
  const Run& run = *(next - 1);
  return std::min(run.written + (at - run.joined), source_.size());
}

std::size_t JoinedText::written_end(std::size_t at) const {
  if (at == 0) return runs_.front().written;
  const std::size_t last = written(at - 1);
  return last + (source_[last] == '?' && text_[at - 1] != '?' ? 3 : 1);
}

std::size_t JoinedText::joined(std::size_t place) const {
  const auto next = std::upper_bound(runs_.begin(), runs_.end(), place,
                                     [](std::size_t at, const Run& run) { return at < run.written; });
  if (next == runs_.begin()) return 0;
  const std::size_t within = (next - 1)->joined + (place - (next - 1)->written);
  return std::min(within, next == runs_.end() ? text_.size() : next->joined);
}

}  // namespace harness::cpp_text
