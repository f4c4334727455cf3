#pragma once
#include <string>
#include <vector>

#include "harness/cli/command.h"

namespace harness {

/// A file that `harness new` writes, below the home folder; @NAME@ stands for the name.
struct TemplateFile {
  std::string path, text;
};

struct NewArguments {
  std::string kind, name;
  std::int64_t campaign = 0;  // pattern: the campaign whose lesson it begins with; 0: none
};

/// One kind of thing that `harness new` starts. Adding a kind is adding a row.
struct Scaffold {
  const char* kind;
  const char* name;  // what the name looks like: "NAME", "KERNEL/NN_NAME"
  /// Throws Error(bad_input) for a name that will not do.
  std::vector<TemplateFile> (*files)(const NewArguments& arguments, Shell& shell);
  const char* next;  // what to do with it, @NAME@ filled in
};

const std::vector<Scaffold>& scaffolds();
/// The name, or Error(bad_input) when it is none.
std::string plain_name(const NewArguments& arguments);

}  // namespace harness
