#pragma once
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "harness/adopt/kernel/answers.h"
#include "harness/adopt/kernel/options.h"
#include "harness/adopt/source/source.h"

namespace harness::adopt {

/// What the files declare of the kernel that was asked for: the first stage of adopting it.
struct Declared {
  /// With a kernel in front of the chosen one where that takes structures by value (adopt/host/unpack.h), and with one
  /// in front of each launch of a function of several (adopt/host/sequence.h).
  Source source;
  AdoptOptions options;              // as asked; they name the kernels in front, and have what pragmas answer
  Answers answers;                   // of the options
  std::vector<std::size_t> kernels;  // declarations: of the kernel, or of those in front of each launch of `function`
  std::string function;              // of the host that launches them; "": there is one kernel
  std::set<std::string> scratch;     // arrays that live only from one launch of the function to another
  std::string in_front_of;           // the file's kernel behind the one in front; "": there is none
  std::string digest;                // of the file as it is
  std::vector<std::string> notes;    // what was left out
};

/// Reads the file that the options name. Throws Error(bad_input) with what is missing or ambiguous.
Declared declare(const AdoptOptions& options);

}  // namespace harness::adopt
