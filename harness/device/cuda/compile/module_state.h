#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace harness::cuda {

/// Which of a cubin's variables device code could keep something in from one launch to the next, demangled and sorted.
/// Left out are those that the PTX declares and never uses (the toolkit's headers bring hundreds), and those whose
/// addresses provably reach nothing but loads and the arguments of printf and assert (constant_use.h): tables, and the
/// strings that the compiler makes. No name is believed.
std::vector<std::string> kept_state(const std::vector<std::string>& variables, std::string_view ptx);

}  // namespace harness::cuda
