#pragma once
#include <string>
#include <vector>

#include "harness/service/shell.h"
#include "harness/service/templates/template_file.h"

namespace harness {

/// One kind of thing that `harness new` starts. Adding a kind is adding a row.
struct Scaffold {
  const char* kind;
  const char* name;  // what the name looks like: "NAME", "KERNEL/NN_NAME"
  /// Throws Error(bad_input) for a name that will not do.
  std::vector<TemplateFile> (*files)(const NewArguments& arguments, Shell& shell);
  const char* next;  // what to do with it, @NAME@ filled in
};

const std::vector<Scaffold>& scaffolds();

/// A kernel that works, to begin from: kernels/NAME/ with contract, reference and baseline.
std::vector<TemplateFile> kernel_template(const std::string& name);
/// A project with such a kernel in it; the file that makes it a project is the last.
std::vector<TemplateFile> project_template(const std::string& kernel);
/// What a project has beside it, where the folder does not have its own: a .gitignore, settings for editors, and what
/// scripts can see.
std::vector<TemplateFile> settings_template();

}  // namespace harness
