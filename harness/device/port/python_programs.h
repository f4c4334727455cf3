#pragma once

// Our Python programs that run a problem's own program: texts, which are put beside each other into a folder.
namespace harness {

/// Loads such a program and computes it in double (python_reference.in).
const char* python_reference_text();
/// Calls it as it is, in its own types; needs the first one (python_call.in).
const char* python_call_text();

}  // namespace harness
