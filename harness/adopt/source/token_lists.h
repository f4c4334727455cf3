#pragma once
#include <string>
#include <vector>

#include "harness/adopt/source/tokens.h"

namespace harness::adopt {

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
