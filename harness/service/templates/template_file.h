#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace harness {

/// A file that `harness new` writes: below the project's folder, or absolute; @NAME@ stands for the name.
struct TemplateFile {
  std::string path, text;
};

struct NewArguments {
  std::string kind, name;
  std::string from;  // kernel: the file of a problem that has no kernel; "": a kernel to begin from
  std::vector<std::string> sizes, settings;  // of such a problem: "N=4096", "eps=1e-6"
  std::string campaign;                      // pattern: the campaign whose lesson it begins with; "": none
};

/// The name, or Error(bad_input) when it is none.
std::string plain_name(const NewArguments& arguments);
/// A template with each @NAME@ of `values` filled in.
std::string fill_in(std::string text, const std::vector<std::pair<std::string, std::string>>& values);
bool is_identifier(const std::string& name);
/// Writes files, by absolute paths. Throws Error(bad_input) before anything is written if one of them
/// is there already; Error(environment) where they cannot be written.
void write_new_files(const std::vector<TemplateFile>& files);

}  // namespace harness
