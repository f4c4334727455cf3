#pragma once
#include <string>

#include "harness/core/error.h"

namespace harness {

/// A file that a hash was made of is another one by now: no outcome of any candidate, and never recorded as one.
class TextChanged : public Error {
 public:
  explicit TextChanged(const std::string& sentence) : Error(Kind::bad_input, sentence) {}
};

}  // namespace harness
