#pragma once
#include <set>
#include <string>
#include <string_view>

namespace harness::cuda {

/// Of these variables of a module (names as in PTX, read in this order of data flow: PTX ISA 8.5, 9.7), those that its
/// code provably leaves as they were loaded: their addresses go through moves, conversions and additions into loads,
/// and into the arguments of vprintf and __assertfail, and nowhere else. Whatever is not understood counts as a use
/// that writes.
std::set<std::string> only_read(const std::set<std::string>& variables, std::string_view ptx);

}  // namespace harness::cuda
