#include "harness/device/cpu/compile/dependencies.h"

#include <algorithm>
#include <filesystem>

#include "harness/system/files.h"

namespace harness::cpu {
namespace {

namespace fs = std::filesystem;

bool lies_in(const fs::path& file, const fs::path& folder) {
  const fs::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

bool lies_in_one(const std::string& file, const std::vector<std::string>& folders) {
  const fs::path path = fs::path(file).lexically_normal();
  return std::ranges::any_of(folders, [&](const std::string& folder) { return lies_in(path, folder); });
}

}  // namespace

std::vector<std::string> read_dependencies(const std::string& rule_file, const std::string& source) {
  const std::string rule = read_file(rule_file);
  std::vector<std::string> files;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty() && word.back() != ':' && word != source) files.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < rule.size(); ++i) {
    if (rule[i] == '\\' && i + 1 < rule.size()) {
      if (rule[++i] != '\n') word += rule[i];  // an escaped space belongs to the name
    } else if (rule[i] == ' ' || rule[i] == '\n') {
      end_word();
    } else {
      word += rule[i];
    }
  }
  end_word();
  return files;
}

void take_out_system_headers(std::vector<std::string>& files, const std::vector<std::string>& include_dirs,
                             const std::vector<std::string>& toolchain) {
  std::erase_if(
      files, [&](const std::string& file) { return lies_in_one(file, toolchain) && !lies_in_one(file, include_dirs); });
}

std::string uncovered_dependency(const std::vector<std::string>& files, const cpp_text::IncludeClosure& included,
                                 const std::string& emulation, const std::string& source_name) {
  std::error_code failed;
  const fs::path trusted = fs::weakly_canonical(emulation, failed);
  for (const std::string& file : files) {
    const fs::path path = fs::weakly_canonical(file, failed);
    const auto is_it = [&](const cpp_text::IncludedFile& file) { return file.path == path; };
    if (lies_in(path, trusted) || std::ranges::any_of(included.files, is_it)) continue;
    return source_name + ": error: g++ read " + file +
           ", which no plain #include of the source names; the source's hash would not cover it\n";
  }
  return "";
}

}  // namespace harness::cpu
