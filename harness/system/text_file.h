#pragma once
#include <string>

namespace harness {

/// The bytes of a file; throws Error(bad_input) naming one that cannot be read.
std::string read_text(const std::string& path);
/// The bytes of a file, "" for one that cannot be read: of a tool that may have died before it wrote.
std::string read_text_if_any(const std::string& path);

}  // namespace harness
