#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace harness::adopt {

/// A piece of C++ text: [begin, end) in bytes. Comments and white space are between tokens.
struct Token {
  enum class Kind { word, number, literal, sign, directive };
  Kind kind = Kind::sign;
  std::string_view text;  // into the text; `<<<` and `>>>` are one sign each, a directive is its whole line
  std::size_t begin = 0, end = 0;

  bool is(std::string_view what) const { return text == what; }
  bool is_word() const { return kind == Kind::word; }
};

/// Joined lines belong together. Directives within functions are tokens too.
std::vector<Token> tokens_of(std::string_view text);

/// Index of the token that closes the bracket at `open`; the number of tokens if none does.
std::size_t closing(const std::vector<Token>& tokens, std::size_t open);

/// From 1.
int line_of(std::string_view text, std::size_t offset);

/// The words of a text, comments left out, directives' words included.
std::vector<std::string> words_of(std::string_view text);

/// Without white space at its ends.
std::string_view trimmed(std::string_view text);

/// Each whole word `from` becomes `to`; comments and literals stay.
std::string with_word(std::string_view text, std::string_view from, std::string_view to);

using Tokens = std::vector<Token>;

/// Tokens [begin, end) of a list.
inline Tokens part(const Tokens& tokens, std::size_t begin, std::size_t end) {
  return {tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace harness::adopt
