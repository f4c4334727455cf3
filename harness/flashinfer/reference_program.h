#pragma once

namespace harness::flashinfer {

/// A program for `adopt --reference 'command:python3 FILE'`: it runs a definition's reference in PyTorch. It wants
/// definition.json and names.json beside it.
const char* reference_program();

}  // namespace harness::flashinfer
