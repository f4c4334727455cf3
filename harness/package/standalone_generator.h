#pragma once
#include <string>

#include "harness/core/contract.h"

namespace harness::package {

/// A C++ expression over standalone_inputs.cu that draws an input.
struct GeneratorCode {
  std::string text;
  bool numbers = false;  // of all elements, as Numbers; else a double, of element `i`
  std::string of;        // the input whose Numbers it needs under the name `of`; "": none
};

/// `seed` tells inputs apart. Throws Error(bad_input) for a generator that is the kernel's own code.
GeneratorCode generator_code(const Problem& problem, const Argument& argument, std::size_t seed);

}  // namespace harness::package
