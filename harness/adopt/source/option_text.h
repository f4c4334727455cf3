#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// How the texts of adopt's options are read.
namespace harness::adopt {

/// As messages name a file: without its folder.
std::string shown_file(const std::string& path);
/// "N=8192,7" -> N and the rest. Throws Error(bad_input), also for the two below.
std::pair<std::string, std::string> name_and_rest(const std::string& option, const std::string& text);
std::vector<std::string> by_commas(const std::string& text);
std::int64_t whole(const std::string& option, const std::string& text, std::int64_t least = 1);

}  // namespace harness::adopt
