#include "harness/cli/edited_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/utf8.h"
#include "harness/system/files.h"

namespace fs = std::filesystem;

namespace harness {
namespace {

constexpr std::uintmax_t kLargestSource = 4 << 20;
constexpr std::size_t kLongestLabel = 200;

bool is_text(const std::string& text) {
  return text.find('\0') == std::string::npos && valid_utf8(text) == text;
}

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

std::string read_edited_source(const std::string& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (!fs::exists(status)) throw bad_input(fmt::format("--source: there is no file '{}'", path));
  if (!fs::is_regular_file(status))  // a pipe: reading would wait for its writer
    throw bad_input(fmt::format("--source: '{}' is no plain file (a folder, a pipe, a device?); name a .cu", path));
  if (fs::file_size(path, failed) > kLargestSource)
    throw bad_input(fmt::format("--source: '{}' is larger than 4 MiB; sources are small texts", path));
  const std::string text = read_file(path, Error::Kind::bad_input);
  if (!is_text(text)) throw bad_input(fmt::format("--source: '{}' is no UTF-8 text; name a .cu", path));
  return text;
}

void check_label(const std::string& label) {
  if (label.empty()) throw bad_input("--label is empty; write a few words, or leave it out");
  if (label.size() > kLongestLabel)
    throw bad_input(fmt::format("--label has {} bytes; {} are possible", label.size(), kLongestLabel));
  if (!is_text(label)) throw bad_input("--label is no UTF-8 text");
}

void require_entries(const Realized& realized, const std::string& path) {
  for (const std::string& entry : realized.build.entries) {
    const std::string name = base_name(entry);
    const auto defines = [&](const SourceFile& file) { return may_define(file.text, name); };
    if (std::ranges::none_of(realized.sources, defines))
      throw bad_input(fmt::format("--source: '{}' has no kernel '{}', which variant '{}' launches; keep its name", path,
                                  name, realized.candidate.variant));
  }
}

}  // namespace harness
