#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace harness::cpu {

/// Threads that __launch_bounds__ of an entry allows, read from the text of a source, because no attribute of g++ keeps
/// the number: the expression may use the entry's template arguments, `defines`, and constants of the same file that
/// are whole numbers. nullopt: it states none, or the text does not tell (a macro that writes the whole kernel).
std::optional<int> launch_bound(std::string_view source, const std::string& entry,
                                const std::vector<std::pair<std::string, std::string>>& defines);

}  // namespace harness::cpu
