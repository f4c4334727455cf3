#pragma once
#include <string>
#include <utility>
#include <vector>

namespace harness::adopt {

/// Headers of templates that lie in no toolkit (CuTe), with all that they include from the same folders: a plugin keeps
/// copies, for a build reads nothing outside of it. Names are as they are included; in their order.
/// Throws Error(bad_input) where they are too many to be kept.
std::vector<std::pair<std::string, std::string>> library_headers(const std::vector<std::string>& included,
                                                                 const std::vector<std::string>& folders);

/// The folders that their names begin with: "cute".
std::vector<std::string> top_folders(const std::vector<std::pair<std::string, std::string>>& headers);

}  // namespace harness::adopt
