#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace harness {

/// A compiler's log for people. An error or warning that is told again at the same place (a template has many
/// instantiations) is told once. The first error comes first. Errors in a file whose name begins with one of
/// `generated`, which the author did not write, are told only where there is no other: they follow from the others.
std::string tidy_errors(std::string_view log, const std::vector<std::string>& generated = {});

}  // namespace harness
