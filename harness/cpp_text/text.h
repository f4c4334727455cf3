#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "harness/cpp_text/joined_text.h"
#include "harness/cpp_text/token.h"

namespace harness::cpp_text {

/// Translation phases 1 to 3 of a text; nothing is expanded, and no condition is decided.
struct Text {
  Tokens tokens;                      // each directive is one of them
  std::vector<Directive> directives;  // in their order: what each of those says
};

/// `written` must outlive the tokens.
Text read_text(std::string_view written, const Dialect& dialect = {});

/// Only the tokens; `<<<` and `>>>` are one sign each, `>>` is two.
Tokens tokens_of(std::string_view written);

/// Only the directives.
std::vector<Directive> directives_of(std::string_view written, const Dialect& dialect = {});

/// Index of the token that closes the bracket at `open`; the number of tokens if none does.
std::size_t closing(const Tokens& tokens, std::size_t open);

/// The tokens' texts in a row, one blank where white space stands between two.
std::string spelled(const Tokens& tokens, std::size_t begin, std::size_t end);

}  // namespace harness::cpp_text
