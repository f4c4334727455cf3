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

/// Where the template parameters or arguments end that begin at a `<`: the index of its `>`.
std::size_t end_of_template(const Tokens& tokens, std::size_t at);

/// By commas outside of brackets; `angles`: template arguments, where < and > are brackets too.
std::vector<Tokens> split_by_commas(const Tokens& tokens, bool angles = false);

/// Where the value ends that begins at `from`: at a `;` or `,` outside of brackets, or where these close.
std::size_t end_of_value(const Tokens& tokens, std::size_t from);

/// Without what stands between them: "x.size(0)".
std::string spelled(const Tokens& tokens);

/// "x . size ( 0 )" -> "x.size(0)", casts and parentheses around all of it left out.
std::string normalized(const Tokens& tokens);

}  // namespace harness::adopt
