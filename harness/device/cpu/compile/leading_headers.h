#pragma once
#include <string>
#include <vector>

namespace harness::cpu {

/// Names in angle brackets of the `#include` lines that a text begins with: nothing but comments and `#pragma once`
/// stands before or between them.
std::vector<std::string> leading_includes(const std::string& text);

/// Those headers of the small float types (cuda_bf16.h, cuda_fp16.h) that a source includes before anything else,
/// itself or by what it begins with, as g++ finds it in `folders`; the emulation's own folder is the first of them.
/// Whatever is seen before the first line of such a source is what it would see anyway.
std::vector<std::string> leading_small_floats(const std::string& source, const std::vector<std::string>& folders);

}  // namespace harness::cpu
