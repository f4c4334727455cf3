#include "harness/system/confinement.h"

#include <sys/prctl.h>

#include "harness/system/call_filter.h"
#include "harness/system/landlock.h"
#include "harness/system/own_root.h"

namespace harness {

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

}  // namespace harness
