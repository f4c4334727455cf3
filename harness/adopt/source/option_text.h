#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/error.h"

// How the texts of adopt's options are read.
namespace harness::adopt {

/// As messages name a file: without its folder.
std::string shown_file(const std::string& path);
/// "N=8192,7" -> N and the rest. Throws Error(bad_input), also for the two below.
std::pair<std::string, std::string> name_and_rest(const std::string& option, const std::string& text);
std::vector<std::string> by_commas(const std::string& text);
/// Is it written as macros are? Then what no file defines may come from a compiler's command line.
bool is_in_capitals(const std::string& name);
/// What to say of such a name. `where`: "mine.cu:7".
Error undefined_macro(const std::string& where, const std::string& name);
std::int64_t whole(const std::string& option, const std::string& text, std::int64_t least = 1);

}  // namespace harness::adopt
