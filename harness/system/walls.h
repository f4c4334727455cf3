#pragma once
#include <string>

#include "harness/core/error.h"
#include "harness/system/confinement.h"

namespace harness {

/// Those that hold here, each tried in a child; asked once, since the kernel and the container around us decide.
Walls walls_here();
/// A sentence for people, on what holds and what that leaves open.
std::string in_words(const Walls& walls);
/// What is thrown for kNotConfined; `said` is what the child wrote.
Error not_confined(const std::string& said);

}  // namespace harness
