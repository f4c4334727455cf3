#pragma once
#include <string>
#include <vector>

namespace harness {

/// A file that `harness new` writes, below the home folder; @NAME@ stands for the name.
struct TemplateFile {
  std::string path, text;
};
std::vector<TemplateFile> template_files(const std::string& kind, const std::string& name);

}  // namespace harness
