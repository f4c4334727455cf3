#pragma once
#include <string>

#include "harness/service/shell.h"

namespace harness {

/// `harness show ITERATION --patch`: a diff that `git apply` takes, from the adopted file to one that holds what
/// iteration `row` (with its source) measured. `file`: where the adopted file is; "": where it was. Launches on other
/// sizes than those measured stay the original's, unless `all_sizes`. Throws Error(bad_input) where there is no such
/// file, or where the winner cannot be said in it: why, and what shows it.
std::string write_patch(Shell& shell, Archive& archive, const json& row, const std::string& file, bool all_sizes);

/// The adopted file of a kernel: what `given` names, else where it was. Throws Error(bad_input) where it is not.
std::string adopted_file(FormulaCatalog& catalog, const std::string& kernel, const std::string& given);

}  // namespace harness
