#pragma once
#include <string>

namespace harness {

/// A word as a POSIX shell takes it: as it is where that is plain, else in single quotes.
std::string shell_word(const std::string& text);
/// A text as a literal of Lua, in double quotes.
std::string lua_text(const std::string& text);

}  // namespace harness
