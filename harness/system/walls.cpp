#include "harness/system/walls.h"

#include "harness/system/child.h"
#include "harness/system/landlock.h"

namespace harness {
namespace {

// Whether a child can enter it and go on.
bool holds(const Walls& walls) {
  try {
    const Confinement confinement(walls, {{"/usr/lib"}, {}, ""});
    return Child({.confinement = &confinement}, [] { return 0; }).wait().status() == 0;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

Walls walls_here() {
  static const Walls walls = [] {
    Walls found;
    found.own_root = holds({.own_root = true});
    found.landlock = landlock_version() > 0 && holds({.landlock = true});
    found.filter = holds({.filter = true});
    return found;
  }();
  return walls;
}

std::string in_words(const Walls& walls) {
  std::string words;
  if (walls.own_root) words = "compilers see only their build's folders (a root of their own)";
  else if (walls.landlock)
    words =
        "compilers can open only their build's folders (Landlock), though they can tell "
        "whether other files exist";
  else
    words =
        "compilers can read every file that this user can read: the kernel or the container allows neither "
        "namespaces nor Landlock";
  if (walls.own_root && walls.landlock) words += " twice over (Landlock)";
  return words + (walls.filter ? "; they reach no network and no other process (seccomp)"
                               : "; nothing keeps them from the network (no seccomp)");
}

Error not_confined(const std::string& said) {
  return environment_error("the compiler could not be confined to its folders, so it was not started: " + said);
}

}  // namespace harness
