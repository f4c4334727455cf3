#include "harness/service/edited_source.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/entries.h"
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
  if (const auto missing = missing_entry(realized))
    throw bad_input(fmt::format("--source: '{}' has no kernel '{}', which variant '{}' launches; keep its name", path,
                                *missing, realized.candidate.variant));
}

}  // namespace harness
