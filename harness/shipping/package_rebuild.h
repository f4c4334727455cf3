#pragma once
#include <string>
#include <vector>

#include "harness/package/folder/reading.h"
#include "harness/service/shell.h"

namespace harness {

/// What compiling the sources of a package anew gave, beside what it holds.
struct RebuiltCode {
  std::size_t same = 0;                // images, of machine code and of PTX, that its sources compile to
  std::vector<std::string> different;  // sentences
  std::string not_compared;            // why nothing, or not all, could be compared; ""
  std::string launcher;                // "same", "different", or why the compiled launcher could not be compared
};

/// Holds each image in a package's launcher against kernel.json, and against what the sources in the package compile
/// to; the compiled launcher must hold these images, and be what its own sources compile to.
/// Compilers of another version make other code: that is said, and no difference.
RebuiltCode rebuild(const Shell& shell, const package::PackageFolder& package);

/// What a compiler says of a candidate's code.
struct CodeNumbers {
  std::string code_hash;
  int registers = 0;  // of the entry with the most
  std::int64_t spill_bytes = 0;
};
/// Throws Error(bad_input) where it does not compile.
CodeNumbers code_numbers(const OfflineDevice& device, const BuildSpec& build);

}  // namespace harness
