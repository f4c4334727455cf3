#pragma once
#include <string>
#include <vector>

namespace harness::adopt {

/// Files of the file's repository that launch the kernel, in the order of their names: of its own folder, else of the
/// nearest one above it that has some. One that defines a kernel of that name itself is none of them.
std::vector<std::string> files_that_launch(const std::string& file, const std::string& kernel);

}  // namespace harness::adopt
