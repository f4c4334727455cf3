#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace harness::script {

/// A file that a source includes, directly or not.
struct IncludedFile {
  std::filesystem::path path;
  std::string text;
};

struct SourceText {
  std::string text;
  std::vector<IncludedFile> included;
  std::string hash;  // of the text and of everything it includes, directly or not, from its folder and include_dirs
};

/// Reads a device source. Includes are found by their text (`#include "x.cuh"` or <x.cuh>, also in branches that the
/// preprocessor would skip: rather too many than one missed). Those that resolve in no folder are the toolkit's.
SourceText read_source(const std::filesystem::path& file, const std::string& shown,
                       const std::vector<std::filesystem::path>& include_dirs);
/// The same for a text that takes the place of a source in `folder`.
SourceText scan_source(const std::string& text, const std::filesystem::path& folder,
                       const std::vector<std::filesystem::path>& include_dirs);

/// `file` as seen from `folder`, with forward slashes: the same on every machine.
std::string relative_name(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace harness::script
