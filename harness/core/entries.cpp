#include "harness/core/entries.h"

#include <algorithm>
#include <cctype>

namespace harness {
namespace {

/// "scale" of "ns::scale<float,4>".
std::string base_name(const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('<'));
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

bool has_word(const std::string& text, const std::string& word) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]))) return true;
  }
  return false;
}

/// A name that is pasted together is nowhere in the text.
bool may_define(const std::string& text, const std::string& name) {
  return has_word(text, name) || text.find("##") != std::string::npos;
}

}  // namespace

std::optional<std::string> missing_entry(const Realized& realized) {
  for (const std::string& entry : realized.build.entries) {
    const std::string name = base_name(entry);
    const auto defines = [&](const SourceFile& file) { return may_define(file.text, name); };
    if (std::ranges::none_of(realized.sources, defines)) return name;
  }
  return std::nullopt;
}

}  // namespace harness
