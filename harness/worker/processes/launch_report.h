#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

/// What the process of a launch leaves for its runner in memory that they share. The candidate can write there too:
/// every field is read once and may hold anything.
struct LaunchReport {
  enum Code : std::uint32_t { nothing, done, fault, refused, memory, unsupported, environment };
  static constexpr std::size_t kTextBytes = 2048, kFindingsBytes = 1 << 20;
  std::uint32_t code = nothing;
  std::uint32_t text_bytes = 0, findings_bytes = 0;
  char text[kTextBytes];
  char findings[kFindingsBytes];
};

void write_text(LaunchReport& report, std::string_view text);
void write_findings(LaunchReport& report, std::string_view json);

/// The words of `text` that this program or the candidate's source could have said: numbers, and words that stand in
/// this program's constants or in one of `vocabulary` as a whole, there also as a part of a compiler's name. Any other
/// is shown as '?', and so is what is not printable ASCII; at most 1000 characters are kept. So nothing that a process
/// found in its memory gets out as text.
std::string known_words(std::string_view text, const std::vector<std::string_view>& vocabulary);

}  // namespace harness
