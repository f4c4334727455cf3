#pragma once
#include <string>
#include <vector>

#include "harness/core/plan.h"
#include "harness/script/contract/manifest_reader.h"

namespace harness::script {

/// A tensor that a library call reads or writes, by the name of the argument or workspace.
struct LibraryOperand {
  std::string option, name;
  bool written = false;
};

/// library { "cudnn", "attention", q = "q", ... }: of the operations that kernels/README.md lists. Throws Error for an
/// unknown library, operation or option (with the nearest known one) and for one that is missing.
LibraryCall read_library(const Reader& reader);
/// Those of the operands that the call names.
std::vector<LibraryOperand> operands_of(const LibraryCall& call);

}  // namespace harness::script
