#include "harness/core/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "harness/core/utf8.h"

namespace harness {
namespace {

/// Beyond ASCII: what changes more than the place where it stands.
bool obeyed(std::uint32_t c) {
  const bool control = c >= 0x80 && c <= 0x9f;
  const bool direction =
      c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x206f);
  const bool separator = c == 0x2028 || c == 0x2029;
  return control || direction || separator;
}

/// The character of a well-formed sequence.
std::uint32_t code_point(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return lead;
  std::uint32_t c = lead & (0x7fu >> sequence.size());
  for (const char byte : sequence.substr(1)) c = c << 6 | (static_cast<unsigned char>(byte) & 0x3fu);
  return c;
}

bool plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

/// ASCII, where `next` follows.
void add_ascii(std::string& shown, char c, char next, Lines lines) {
  if (c >= 0x20 && c < 0x7f) shown += c;
  else if (c == '\n' || c == '\t' || (c == '\r' && next == '\n')) shown += lines == Lines::many ? c : ' ';
  else shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
}

}  // namespace

std::string printable(std::string_view text, Lines lines) {
  if (plain(text)) return std::string(text);
  std::string shown;
  shown.reserve(text.size() + 16);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = utf8_sequence(text.substr(at));
    const std::string_view sequence = text.substr(at, std::max<std::size_t>(bytes, 1));
    if (bytes == 0) shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
    else if (bytes == 1) add_ascii(shown, text[at], at + 1 < text.size() ? text[at + 1] : '\0', lines);
    else if (const std::uint32_t c = code_point(sequence); obeyed(c)) shown += fmt::format("\\u{:04x}", c);
    else shown += sequence;
    at += sequence.size();
  }
  return shown;
}

std::string printable_json(const json& value) {
  const std::string text = json_text(value);
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view sequence =
        std::string_view(text).substr(at, std::max<std::size_t>(utf8_sequence(std::string_view(text).substr(at)), 1));
    const std::uint32_t c = code_point(sequence);
    if (c == 0x7f || obeyed(c)) shown += fmt::format("\\u{:04x}", c);  // only strings hold such characters
    else shown += sequence;
    at += sequence.size();
  }
  return shown;
}

std::string counted(std::size_t count, const std::string& thing) {
  const bool hisses = thing.ends_with("ch") || thing.ends_with("sh") || thing.ends_with("s") || thing.ends_with("x");
  return std::to_string(count) + " " + thing + (count == 1 ? "" : hisses ? "es" : "s");
}

}  // namespace harness
