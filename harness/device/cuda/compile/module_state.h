#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace harness::cuda {

/// Which of a cubin's variables device code could keep something in from one launch to the next, demangled and sorted.
/// Left out are those that the PTX declares and never uses (the toolkit's headers bring hundreds), and the strings that
/// the compiler makes of printf and assert, unless `source` spells such a name itself.
std::vector<std::string> kept_state(const std::vector<std::string>& variables, std::string_view ptx,
                                    std::string_view source);

}  // namespace harness::cuda
