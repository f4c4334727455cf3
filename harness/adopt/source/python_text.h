#pragma once
#include <string>

namespace harness::adopt {

bool is_python(const std::string& path);

/// What the strings of a Python file hold that load_inline and the like compile: each in triple quotes that holds a
/// kernel, a launch or an #include. All else is white space, so that each line stays where it is. Empty: there is none.
std::string cuda_in_python(const std::string& text);

}  // namespace harness::adopt
