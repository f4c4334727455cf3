#include "harness/core/utf8.h"

#include <algorithm>

namespace harness {
namespace {

bool continues(unsigned char byte) {
  return (byte & 0xc0) == 0x80;
}

}  // namespace

std::size_t utf8_sequence(std::string_view text) {
  if (text.empty()) return 0;
  const auto at = [&text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (text.size() < bytes) return 0;
  const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (at(1) < low || at(1) > high) return 0;
  for (std::size_t i = 2; i < bytes; ++i)
    if (!continues(at(i))) return 0;
  return bytes;
}

std::string valid_utf8(const std::string& text) {
  const bool ascii = std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (ascii) return text;
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_sequence(std::string_view(text).substr(at));
    if (length == 0) result += "\xef\xbf\xbd";
    else result.append(text, at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return result;
}

}  // namespace harness
