#pragma once
#include <string>

namespace harness {

/// The same text with every byte that is not part of well-formed UTF-8 replaced by U+FFFD: logs and sources may hold
/// anything, JSON may not.
std::string valid_utf8(const std::string& text);

}  // namespace harness
