#pragma once
#include <string>
#include <vector>

namespace harness {

/// The known name closest to `name` (edit distance, a swap of neighbours counting once, `-` and `_` alike), or "" when
/// none is close enough to be what was meant.
std::string nearest(const std::string& name, const std::vector<std::string>& known);

/// "; did you mean 'roi'?" or "": the end of a sentence about an unknown name.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known);

}  // namespace harness
