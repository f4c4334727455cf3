#include "harness/adopt/tokens.h"

#include <algorithm>
#include <cctype>

namespace harness::adopt {
namespace {

bool begins_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool in_a_word(char c) {
  return begins_word(c) || std::isdigit(static_cast<unsigned char>(c));
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<Token> tokens() {
    while (skip_blanks()) next();
    return std::move(tokens_);
  }

 private:
  char at(std::size_t place) const { return place < text_.size() ? text_[place] : '\0'; }

  /// False at the end of the text.
  bool skip_blanks() {
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') fresh_ = true;
      if (std::isspace(static_cast<unsigned char>(text_[at_])) || (text_[at_] == '\\' && at(at_ + 1) == '\n')) ++at_;
      else if (text_[at_] == '/' && at(at_ + 1) == '/') at_ = std::min(text_.find('\n', at_), text_.size());
      else if (text_[at_] == '/' && at(at_ + 1) == '*') {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else return true;
    }
    return false;
  }

  void add(Token::Kind kind, std::size_t end) {
    end = std::min(end, text_.size());
    tokens_.push_back({kind, text_.substr(at_, end - at_), at_, end});
    at_ = end;
    fresh_ = false;
  }

  void next() {
    const char c = text_[at_];
    if (c == '#' && fresh_) return add(Token::Kind::directive, end_of_directive());
    if (c == '"' || c == '\'') return add(Token::Kind::literal, end_of_literal(at_));
    std::size_t end = at_ + 1;
    if (begins_word(c)) {
      while (in_a_word(at(end))) ++end;
      if (at(end) == '"' && text_[end - 1] == 'R') return add(Token::Kind::literal, end_of_raw(end));
      return add(Token::Kind::word, end);
    }
    if (std::isdigit(static_cast<unsigned char>(c)) ||
        (c == '.' && std::isdigit(static_cast<unsigned char>(at(end))))) {
      while (in_a_word(at(end)) || at(end) == '.' || (at(end) == '\'' && in_a_word(at(end + 1))) ||
             ((at(end) == '+' || at(end) == '-') && (at(end - 1) == 'e' || at(end - 1) == 'E')))
        ++end;
      return add(Token::Kind::number, end);
    }
    for (const std::string_view sign :
         {"<<<", ">>>", "->", "::", "<<", "&&", "||", "<=", ">=", "==", "!=", "++", "--", "+=", "-=", "*=", "/="})
      if (text_.substr(at_).starts_with(sign) && !(sign == "<<<" && at(at_ + 3) == '=')) {
        end = at_ + sign.size();
        break;
      }
    add(Token::Kind::sign, end);
  }

  std::size_t end_of_directive() const {
    std::size_t end = at_;
    for (;; ++end) {
      end = std::min(text_.find('\n', end), text_.size());
      std::size_t last = end;
      while (last > at_ && (text_[last - 1] == '\r' || text_[last - 1] == ' ')) --last;
      if (end == text_.size() || last == at_ || text_[last - 1] != '\\') return end;
    }
  }

  std::size_t end_of_literal(std::size_t from) const {
    const char quote = text_[from];
    std::size_t end = from + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
    return end + 1;
  }

  std::size_t end_of_raw(std::size_t quote) const {
    const std::size_t open = text_.find('(', quote);
    if (open == std::string_view::npos) return text_.size();
    const std::string close = ")" + std::string(text_.substr(quote + 1, open - quote - 1)) + "\"";
    const std::size_t end = text_.find(close, open);
    return end == std::string_view::npos ? text_.size() : end + close.size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool fresh_ = true;  // nothing but blanks since the line began
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
  return Lexer(text).tokens();
}

std::size_t closing(const std::vector<Token>& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.kind != Token::Kind::sign) continue;
    if (token.is("(") || token.is("{") || token.is("[")) ++depth;
    if ((token.is(")") || token.is("}") || token.is("]")) && --depth == 0) return i;
  }
  return tokens.size();
}

int line_of(std::string_view text, std::size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const Token& token : tokens_of(text)) {
    if (token.is_word()) words.emplace_back(token.text);
    if (token.kind != Token::Kind::directive) continue;
    for (const Token& inner : tokens_of(token.text.substr(1)))
      if (inner.is_word()) words.emplace_back(inner.text);
  }
  return words;
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string with_word(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  std::size_t done = 0;
  for (const Token& token : tokens_of(text)) {
    if (!token.is_word() || token.text != from) continue;
    result += text.substr(done, token.begin - done);
    result += to;
    done = token.end;
  }
  return result + std::string(text.substr(done));
}

}  // namespace harness::adopt
