#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "harness/adopt/source/source.h"

namespace harness::adopt {

/// A winner's device part beside the original's in one file.
struct SecondKernel {
  std::string original, source;             // device parts
  std::map<std::string, std::int64_t> set;  // values of its macros and constants
  std::string space;                        // the namespace that it gets
  std::string sizes;                        // what it was measured on, for the comment above it
};

/// `text`, which is `file` with words inserted behind `launcher`'s beginning, with the kernel in front of the function
/// `launcher`. Throws Error(bad_input) for what cannot stand twice in a file.
std::string with_kernel_in_front(const Source& source, const SourceText& file, const std::string& text,
                                 const Chunk& launcher, const Declaration& kernel, const SecondKernel& second);

/// "ns::" of a kernel that lies in a namespace; "" where it lies in none.
std::string namespaces_of(const Source& source, const Declaration& kernel);

}  // namespace harness::adopt
