#include "harness/system/walls.h"

#include <sys/prctl.h>

#include "harness/system/call_filter.h"
#include "harness/system/child.h"
#include "harness/system/landlock.h"
#include "harness/system/own_root.h"

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

Confinement::Confinement(const Walls& walls, const Reach& reach) {
  Reach with_null = reach;
  with_null.readable.push_back("/dev/null");
  if (walls.own_root) root_ = std::make_unique<OwnRoot>(with_null);
  if (walls.landlock) rules_ = std::make_unique<LandlockRules>(with_null);
  if (walls.filter) filter_ = std::make_unique<CallFilter>();
}

Confinement::Confinement() = default;
Confinement::Confinement(Confinement&&) noexcept = default;
Confinement::~Confinement() = default;

bool Confinement::enter() const {
  if (root_ && !root_->enter()) return false;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (rules_ && !rules_->enter()) return false;
  return !filter_ || filter_->enter();
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

Error not_confined(const std::string& said) {
  return environment_error("the compiler could not be confined to its folders, so it was not started: " + said);
}

}  // namespace harness
