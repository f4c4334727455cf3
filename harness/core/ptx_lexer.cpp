#include "harness/core/ptx_lexer.h"

#include <algorithm>

namespace harness {
namespace {

bool is_ptx_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_ptx_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool ends_line(char c) {
  return c == '\n' || c == '\r';
}

}  // namespace

// A line comment ends at a carriage return as well: what stands behind it is then read once too often, not too seldom.
bool PtxLexer::skip_blank() {
  const char c = text_[at_];
  if (c == '\n') ++line_;
  if (ends_line(c) || c == ' ' || c == '\t' || c == '\v' || c == '\f') {
    ++at_;
    return true;
  }
  if (c != '/' || at_ + 1 >= text_.size()) return false;
  if (text_[at_ + 1] == '/') {
    at_ = std::min(text_.find_first_of("\n\r", at_), text_.size());
    return true;
  }
  if (text_[at_ + 1] != '*') return false;
  const std::size_t close = text_.find("*/", at_ + 2);
  const std::size_t end = close == std::string_view::npos ? text_.size() : close + 2;
  line_ += static_cast<int>(std::count(text_.begin() + at_, text_.begin() + end, '\n'));
  at_ = end;
  return true;
}

PtxToken PtxLexer::quoted() {
  const std::size_t begin = ++at_;
  const int line = line_;
  for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
    if (text_[at_] == '\\') {
      doubts_.escapes = true;
      if (reading_.escapes && at_ + 1 < text_.size() && !ends_line(text_[at_ + 1])) ++at_;
    } else if (ends_line(text_[at_])) {
      doubts_.multiline = true;
      if (!reading_.multiline) break;
      if (text_[at_] == '\n') ++line_;
    }
  }
  const std::string_view content = text_.substr(begin, at_ - begin);
  if (at_ < text_.size() && text_[at_] == '"') ++at_;
  return {PtxToken::Kind::text, content, line};
}

bool PtxLexer::next(PtxToken& token) {
  while (at_ < text_.size() && skip_blank()) {
  }
  if (at_ >= text_.size()) return false;
  const char c = text_[at_];
  if (c == '"') {
    token = quoted();
    return true;
  }
  const std::size_t begin = at_++;
  token.line = line_;
  token.kind = PtxToken::Kind::mark;
  if (is_ptx_letter(c) || is_ptx_digit(c)) {
    while (at_ < text_.size() && (is_ptx_letter(text_[at_]) || is_ptx_digit(text_[at_])) && text_[at_] != '%') ++at_;
    token.kind = is_ptx_digit(c) ? PtxToken::Kind::number : PtxToken::Kind::word;
  }
  token.text = text_.substr(begin, at_ - begin);
  return true;
}

}  // namespace harness
