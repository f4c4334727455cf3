#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "harness/core/json.h"

// JSON as language models write it. Pure functions: text in, values out.
namespace harness {

/// What is in a text: its objects, and whether the last one breaks off.
struct ObjectsInText {
  std::vector<json> objects;              // in their order; none lies within another
  std::vector<std::size_t> begins, ends;  // of each, in the text
  bool breaks_off = false;
  std::string error;  // of the first that is closed and cannot be read; "" where there is none
};

/// The objects of a text that may hold words and code beside them. Beyond JSON these are understood: raw control
/// characters and unknown escapes in strings, strings in '...', `...` and triple quotes, trailing commas, comments, and
/// Python's True, False and None. At most 64 places are tried, so a hostile text costs a bounded time.
ObjectsInText objects_in(const std::string& text);

}  // namespace harness
