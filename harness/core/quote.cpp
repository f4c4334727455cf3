#include "harness/core/quote.h"

#include <fmt/format.h>

namespace harness {

std::string shell_word(const std::string& text) {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string lua_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (c == '\n') quoted += "\\n";
    else if (static_cast<unsigned char>(c) < 32 || c == 127) quoted += fmt::format("\\{:03}", static_cast<int>(c));
    else quoted += c;
  }
  return quoted + "\"";
}

}  // namespace harness
