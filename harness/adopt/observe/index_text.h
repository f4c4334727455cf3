#pragma once
#include <set>
#include <string>
#include <vector>

namespace harness::adopt {

/// What the kernel's text multiplies an index of the array by: {w}, {h, w} of `x[(c * h + i) * w + j]`, also where
/// local variables hold parts of it. Each is the product of the array's innermost sizes. Empty: the text does not say.
std::vector<std::set<std::string>> strides_in_text(const std::string& text, const std::string& array,
                                                   const std::set<std::string>& sizes);

}  // namespace harness::adopt
