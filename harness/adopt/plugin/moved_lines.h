#pragma once
#include <string>

namespace harness::adopt {

/// `edited`, which has the lines of `file` with other words in some, changed as `from` was changed to `to`. The lines
/// of `from` stand in `file` in their order, between others. `shown` names the file. Throws Error(bad_input) where a
/// changed line does not, or where `to` needs what the file's own build does not have.
std::string with_moved_lines(const std::string& from, const std::string& to, const std::string& file,
                             const std::string& edited, const std::string& shown);

}  // namespace harness::adopt
