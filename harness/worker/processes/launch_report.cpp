#include "harness/worker/processes/launch_report.h"

#include <link.h>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace harness {
namespace {

constexpr std::size_t kMostText = 1000, kLongestNumber = 20;

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// "17", "0x7f001000", "1e-05" without its dash
bool is_number(std::string_view word) {
  return word.size() <= kLongestNumber && std::isdigit(static_cast<unsigned char>(word.front()));
}

bool stands_in(std::string_view place, std::string_view word) {
  for (std::size_t at = place.find(word); at != std::string_view::npos; at = place.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_character(place[at - 1])) && (end == place.size() || !is_word_character(place[end])))
      return true;
  }
  return false;
}

int add_constants(dl_phdr_info* info, std::size_t, void* data) {
  auto& constants = *static_cast<std::vector<std::string_view>*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD && !(segment.p_flags & (PF_W | PF_X)))
      constants.emplace_back(reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr), segment.p_filesz);
  }
  return 1;  // the program is the first
}

const std::vector<std::string_view>& own_constants() {
  static const std::vector<std::string_view> constants = [] {
    std::vector<std::string_view> constants;
    dl_iterate_phdr(add_constants, &constants);
    return constants;
  }();
  return constants;
}

/// Within the name that a compiler made of it, whose parts have their lengths before them: "_ZZ1kE4tile".
bool is_part_of_a_name(std::string_view place, std::string_view word) {
  const std::string with_length = std::to_string(word.size()) + std::string(word);
  for (std::size_t at = place.find(with_length); at != std::string_view::npos; at = place.find(with_length, at + 1))
    if (at > 0 && std::isdigit(static_cast<unsigned char>(place[at - 1])) == 0) return true;
  return false;
}

bool is_known(std::string_view word, const std::vector<std::string_view>& vocabulary) {
  const auto holds = [&](std::string_view place) { return stands_in(place, word); };
  const auto names = [&](std::string_view place) { return holds(place) || is_part_of_a_name(place, word); };
  return is_number(word) || std::ranges::any_of(vocabulary, names) || std::ranges::any_of(own_constants(), holds);
}

}  // namespace

void write_text(LaunchReport& report, std::string_view text) {
  const std::size_t bytes = std::min(text.size(), sizeof report.text);
  std::memcpy(report.text, text.data(), bytes);
  report.text_bytes = static_cast<std::uint32_t>(bytes);
}

void write_findings(LaunchReport& report, std::string_view json) {
  if (json.size() > sizeof report.findings) return;
  std::memcpy(report.findings, json.data(), json.size());
  report.findings_bytes = static_cast<std::uint32_t>(json.size());
}

std::string known_words(std::string_view text, const std::vector<std::string_view>& vocabulary) {
  std::string words;
  text = text.substr(0, kMostText);
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (end == at) {
      words += text[at] >= ' ' && text[at] <= '~' ? text[at] : '?';
      ++at;
      continue;
    }
    const std::string_view word = text.substr(at, end - at);
    words += is_known(word, vocabulary) ? std::string(word) : "?";
    at = end;
  }
  return words;
}

}  // namespace harness
