#pragma once
#include <string>
#include <vector>

#include "harness/adopt/kernel/options.h"
#include "harness/adopt/source/source.h"

namespace harness::adopt {

/// What the files declare of the kernel that was asked for: the first stage of adopting it.
struct Declared {
  /// With a kernel in front of the chosen one where that takes structures by value (adopt/host/unpack.h), and with one
  /// in front of each launch of a function of several (adopt/host/sequence.h).
  Source source;
  AdoptOptions options;            // as asked; they name the kernels in front, and have what pragmas answer
  std::string digest;              // of the file as it is
  std::vector<std::string> notes;  // what was left out
};

/// Reads the file that the options name. Throws Error(bad_input) with what is missing or ambiguous.
Declared declare(const AdoptOptions& asked);

}  // namespace harness::adopt
