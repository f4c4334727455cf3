#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace harness::cpp_text {

/// A piece of C++ text. Comments and white space are between tokens.
struct Token {
  enum class Kind { word, number, literal, sign, directive, header };
  Kind kind = Kind::sign;
  std::string_view text;           // lines that are spliced within it are joined; a directive is its lines as written
  std::size_t begin = 0, end = 0;  // bytes of the text as it is written
  int line = 1;                    // where it begins
  bool spaced = false;             // white space or a comment stands before it
  std::shared_ptr<const std::string> joined;  // holds `text` where it is not what is written

  bool is(std::string_view what) const { return text == what; }
  bool is_word() const { return kind == Kind::word; }
};

using Tokens = std::vector<Token>;

/// A line of the preprocessor, with those that are spliced to it or lie in a comment that begins on it.
struct Directive {
  Token name;     // `include`, `define`, ...; no text where `#` stands alone
  Tokens tokens;  // behind the name
};

}  // namespace harness::cpp_text
