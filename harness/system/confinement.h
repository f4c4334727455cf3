#pragma once
#include <memory>

#include "harness/system/reach.h"

// How compilers, which read untrusted source, are kept from everything that is not theirs. The rooms that compile know
// what a build needs (its reach); the walls are what this machine can hold it to (walls.h).
namespace harness {

class CallFilter;
class LandlockRules;
class OwnRoot;

/// The walls between a compiling process and the rest of the machine. Limits of memory, processor time and file size,
/// a closed environment and closed descriptors hold besides, always.
struct Walls {
  bool own_root = false;  // namespaces: what is out of reach does not exist (own_root.h)
  bool landlock = false;  // what is out of reach cannot be opened; that it exists can still be told
  bool filter = false;    // no network, no other processes (call_filter.h)

  bool around_files() const { return own_root || landlock; }
};

/// Exactly these walls around one reach, prepared before the fork of the child that enters them.
class Confinement {
 public:
  Confinement();  // within no walls, but exec grants it nothing either (no_new_privs)
  /// Throws Error(environment) when preparing fails.
  Confinement(const Walls& walls, const Reach& reach);
  Confinement(Confinement&&) noexcept;
  ~Confinement();
  /// Called by a fresh child before its work: gives up all but the reach. False: it could not, and must not go on.
  /// Async-signal-safe.
  bool enter() const;

 private:
  std::unique_ptr<OwnRoot> root_;
  std::unique_ptr<LandlockRules> rules_;
  std::unique_ptr<CallFilter> filter_;
};

/// Exit status of a child that could not be confined. No compiler uses it.
constexpr int kNotConfined = 121;

}  // namespace harness
