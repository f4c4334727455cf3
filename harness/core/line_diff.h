#pragma once
#include <string>

namespace harness {

/// The difference of two texts in unified form, with `context` unchanged lines around each change; "" where they are
/// the same. Names go into the ---/+++ lines. Very different long texts are shown as replaced as a whole.
std::string unified_diff(const std::string& a, const std::string& b, const std::string& a_name,
                         const std::string& b_name, int context = 3);

}  // namespace harness
