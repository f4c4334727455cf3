#pragma once
#include <string>

#include "harness/adopt/source/declarations.h"

// The one file that knows libclang. It is opened at run time: the program builds and starts without it.
namespace harness::adopt {

/// Parses CUDA C++ as the device sees it, in a confined child process. `path` is shown and places relative includes;
/// `text` stands in the place of what the file holds; `folders` hold the headers beside it, `defines` are
/// directives in front of it. What an #include does not
/// find is passed over. Throws Error(environment) where there is no libclang, Error(bad_input) where it crashes or does
/// not end.
Parsed parse_cuda(const std::string& path, const std::string& text, const std::vector<std::string>& folders,
                  const std::vector<std::string>& include_folders, const std::string& defines = "");

}  // namespace harness::adopt
