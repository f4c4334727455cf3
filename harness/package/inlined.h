#pragma once
#include <string>
#include <vector>

#include "harness/core/plan.h"

namespace harness::package {

/// What becomes of `#include` lines whose file lies in none of the build's folders: the toolkit's and the language's.
enum class Outside {
  stay,  // where they are
  out,   // they are taken out of the text, and listed
};

/// A device source that needs no folder any more.
struct InlinedSource {
  std::string text;                  // the headers of its plugin and of the harness stand where they were included
  std::vector<std::string> headers;  // their names, in this order
  std::vector<std::string> outside;  // "#include <cuda_fp16.h>": the lines taken out, each once
  std::vector<std::string> macros;   // that the text defines, each once
};

/// Reads the headers from the build's include folders, as a compiler looks for them, and from nowhere else. A header
/// that guards itself (`#pragma once`, or `#ifndef` and `#define`) stands there once. Throws Error(bad_input) for
/// headers that include each other without end, and for a text of more than 16 MiB.
InlinedSource inline_headers(const BuildSpec& build, Outside outside);

/// The way back, for `build.source` that was once such a text and may have been edited: where a header's lines stand
/// between their marks as inline_headers would write them today, its `#include` line stands again. A header that was
/// edited stays where it is, as text of the source's author. inline_headers gives the same text before and after.
std::string with_headers_folded(const BuildSpec& build);

}  // namespace harness::package
