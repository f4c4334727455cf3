#pragma once
#include <string>
#include <vector>

// Names as filters take them: "a,b" is either, "seed*" is any that begins so, "?" stands for one character.
namespace harness {

/// "a,b" as {"a", "b"}; empty parts are left out. A comma before a blank belongs to a name: "H200, predicted".
std::vector<std::string> listed_names(const std::string& names);
/// Whether it has a wildcard.
bool is_pattern(const std::string& name);
/// Whether all of `name` fits; capitals count.
bool matches_pattern(const std::string& name, const std::string& pattern);
/// The same as SQLite's GLOB takes it: there a bracket would begin a class of characters.
std::string glob_of(const std::string& pattern);

}  // namespace harness
