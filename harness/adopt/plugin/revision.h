#pragma once
#include <set>
#include <string>

#include "harness/core/formula_catalog.h"

namespace harness::adopt {

/// A kernel of a file as one revision has it.
struct Revision {
  std::string source;      // its device part
  std::string manifest;    // a variant's manifest that launches it as the file does, with the file's own numbers
  std::string parameters;  // "const float* x, int n": what a contract is about
};

/// Reads `file` and the kernel `from.entry`, with the options with which it was adopted. `fields`: what the workloads
/// of the kernel's contract are made of. Throws Error(bad_input) where it is not there, or where its launch cannot be
/// read.
Revision revision_of(const std::string& file, const AdoptedFrom& from, const std::set<std::string>& fields);

/// "WIDTH=64": macros that a kernel's file was read with.
std::vector<std::string> defines_of(const AdoptedFrom& from);

/// The device part of a file's kernel as adopt cuts it, for `eval --source`; `text` itself where it launches nothing.
/// `tuned`: names that the variant gives values to.
std::string device_part(const std::string& file, const std::string& text, const AdoptedFrom& from,
                        const std::set<std::string>& tuned);

}  // namespace harness::adopt
