#pragma once
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "harness/cpp_text/closure.h"

namespace harness::script {

struct SourceText {
  std::string text;
  std::vector<cpp_text::IncludedFile> included;
  std::string hash;  // of the text and of everything it includes, directly or not, from its folder and include_dirs
};

/// Reads a device source and all that a compiler may read with it (cpp_text/closure.h). `defined`: the macros that a
/// build defines. Throws Error(bad_input) for an include whose file cannot be told from the text.
SourceText read_source(const std::filesystem::path& file, const std::string& shown,
                       const std::vector<std::filesystem::path>& include_dirs,
                       const std::set<std::string>& defined = {});
/// The same for a text that takes the place of a source in `folder`.
SourceText scan_source(const std::string& text, const std::string& shown, const std::filesystem::path& folder,
                       const std::vector<std::filesystem::path>& include_dirs,
                       const std::set<std::string>& defined = {});

/// Of what a source includes: paths, and the SHA-256 of each text as it was read (BuildSpec::included).
std::vector<std::pair<std::string, std::string>> hashes_of(const std::vector<cpp_text::IncludedFile>& included);

/// `file` as seen from `folder`, with forward slashes: the same on every machine.
std::string relative_name(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace harness::script
