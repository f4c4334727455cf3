#include "harness/adopt/changed.h"

#include <filesystem>

#include "harness/adopt/tokens.h"
#include "harness/core/hash.h"
#include "harness/system/files.h"

namespace fs = std::filesystem;

namespace harness::adopt {
namespace {

/// The text behind NAME = within `adopted = { ... }` of a manifest; "" where it is not there. Adopt writes that line
/// (write.cpp), and what is not of its form says nothing.
std::string noted(const std::string& manifest, std::string_view name) {
  const std::size_t table = manifest.find("\n  adopted = {");
  if (table == std::string::npos) return "";
  const std::string line = manifest.substr(table + 1, manifest.find('\n', table + 1) - table - 1);
  const std::vector<Token> tokens = tokens_of(line);
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
    if (tokens[i].is(name) && tokens[i + 1].is("=") && tokens[i + 2].kind == Token::Kind::literal)
      return std::string(tokens[i + 2].text.substr(1, tokens[i + 2].text.size() - 2));
  return "";
}

}  // namespace

std::vector<ChangedSource> changed_adopted_files(const std::vector<std::string>& kernel_folders) {
  std::vector<ChangedSource> changed;
  for (const std::string& folder : kernel_folders) {
    const auto manifest = read_file_if_any((fs::path(folder) / "kernel.lua").string());
    if (!manifest) continue;
    const std::string path = noted(*manifest, "path"), digest = noted(*manifest, "digest");
    if (path.empty() || digest.empty()) continue;
    const fs::path source = (fs::path(folder) / path).lexically_normal();
    const auto text = read_file_if_any(source.string());
    if (text && sha256_hex(*text) == digest) continue;
    changed.push_back({fs::path(folder).filename().string(), source.string(), !text});
  }
  return changed;
}

}  // namespace harness::adopt
