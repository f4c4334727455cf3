#include "harness/system/compile_rights.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "harness/system/call_filter.h"
#include "harness/system/landlock.h"
#include "harness/system/own_root.h"

namespace harness {
namespace {

// Whether a child can enter it and go on.
bool holds(const Walls& walls) {
  EnterConfinement enter;
  try {
    enter = confine_with(walls)({{"/usr/lib"}, {}, ""});
  } catch (const std::exception&) {
    return false;
  }
  const pid_t child = fork();
  if (child == 0) _exit(enter() ? 0 : kNotConfined);
  int status = -1;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Confine confine_with(const Walls& walls) {
  const auto filter = walls.filter ? std::make_shared<CallFilter>() : nullptr;
  return [walls, filter](const Reach& reach) -> EnterConfinement {
    Reach with_null = reach;
    with_null.readable.push_back("/dev/null");
    // Shared, for std::function wants copies and rules own a descriptor.
    const auto root = walls.own_root ? std::make_shared<OwnRoot>(with_null) : nullptr;
    const auto rules = walls.landlock ? std::make_shared<LandlockRules>(with_null) : nullptr;
    return [root, rules, filter] {
      if (root && !root->enter()) return false;
      if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
      if (rules && !rules->enter()) return false;
      return !filter || filter->enter();
    };
  };
}

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

}  // namespace harness
