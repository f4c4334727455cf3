#pragma once
#include "harness/system/reach.h"

namespace harness {

/// The version of the kernel's Landlock; 0 where there is none.
int landlock_version();

/// A Landlock rule set that allows a reach and nothing else: files, and where the kernel knows them network, signals
/// and abstract sockets too. Owns its descriptor.
class LandlockRules {
 public:
  explicit LandlockRules(const Reach& reach);
  LandlockRules(const LandlockRules&) = delete;
  LandlockRules& operator=(const LandlockRules&) = delete;
  ~LandlockRules();
  /// For this thread and all it starts, for ever; wants no_new_privs. Async-signal-safe.
  bool enter() const;

 private:
  void allow(const std::string& path, unsigned long long rights) const;
  int rules_ = -1;
};

}  // namespace harness
