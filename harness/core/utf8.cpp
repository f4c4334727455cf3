#include "harness/core/utf8.h"

#include <algorithm>

namespace harness {
namespace {

bool continues(unsigned char byte) {
  return (byte & 0xc0) == 0x80;
}

/// Bytes of the well-formed sequence at the front of `text`; 0: there is none (Unicode, table 3-7).
std::size_t sequence_bytes(const unsigned char* text, std::size_t left) {
  const unsigned char lead = text[0];
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t bytes = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (left < bytes) return 0;
  const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  if (text[1] < low || text[1] > high) return 0;
  for (std::size_t i = 2; i < bytes; ++i)
    if (!continues(text[i])) return 0;
  return bytes;
}

}  // namespace

std::string valid_utf8(const std::string& text) {
  const bool ascii = std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  if (ascii) return text;
  std::string result;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_bytes(bytes + at, text.size() - at);
    if (length == 0) result += "\xef\xbf\xbd";
    else result.append(text, at, length);
    at += std::max<std::size_t>(length, 1);
  }
  return result;
}

}  // namespace harness
