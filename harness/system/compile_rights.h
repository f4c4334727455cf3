#pragma once
#include <string>

#include "harness/system/confinement.h"

namespace harness {

/// The walls between a compiling process and the rest of the machine. Limits of memory, processor time and file size,
/// a closed environment and closed descriptors hold besides, always.
struct Walls {
  bool own_root = false;  // namespaces: what is out of reach does not exist (own_root.h)
  bool landlock = false;  // what is out of reach cannot be opened; that it exists can still be told
  bool filter = false;    // no network, no other processes (call_filter.h)
};

/// Those that hold here, each tried in a child; asked once, since the kernel and the container around us decide.
Walls walls_here();
/// A sentence for people, on what holds and what that leaves open.
std::string in_words(const Walls& walls);
/// Confines with exactly these walls. Throws Error(environment) when preparing fails.
Confine confine_with(const Walls& walls);

}  // namespace harness
