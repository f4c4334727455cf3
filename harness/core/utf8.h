#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace harness {

/// The same text with every byte that is not part of well-formed UTF-8 replaced by U+FFFD: logs and sources may hold
/// anything, JSON may not.
std::string valid_utf8(const std::string& text);

/// Bytes of the well-formed sequence at the front of `text`; 0: there is none (Unicode, table 3-7).
std::size_t utf8_sequence(std::string_view text);

}  // namespace harness
