#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cpp_text/text.h"

namespace harness::adopt {

using cpp_text::closing;
using cpp_text::Token;
using cpp_text::Tokens;

/// `<< <grid, block >> >(` is the launch that compilers take it for: one token `<<<` and one `>>>`.
Tokens tokens_of(std::string_view text);

/// From 1.
int line_of(std::string_view text, std::size_t offset);

/// The words of a text, comments left out, directives' words included.
std::vector<std::string> words_of(std::string_view text);

/// Without white space at its ends.
std::string_view trimmed(std::string_view text);

/// Each whole word `from` becomes `to`; comments and literals stay.
std::string with_word(std::string_view text, std::string_view from, std::string_view to);

/// Tokens [begin, end) of a list.
inline Tokens part(const Tokens& tokens, std::size_t begin, std::size_t end) {
  return {tokens.begin() + static_cast<std::ptrdiff_t>(begin), tokens.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace harness::adopt
