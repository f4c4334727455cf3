#pragma once
#include <optional>
#include <string>

#include "harness/core/catalog.h"
#include "harness/core/profile.h"

namespace harness {

struct ProfileRequest {
  std::string gpu;                       // whose model and machine code a counted profile uses: a name of core/gpu.h
  int blocks = 16;                       // of a launch that are counted, at most
  std::optional<ProfileSource> through;  // of a GPU: this way alone; absent: the best that works
};

/// Port to what tells how a candidate uses a device: the cpu device counts (evaluate/counting_profiler.h), a GPU has
/// counters. Candidate code runs in processes of its own, behind the walls that every candidate meets.
class Profiler {
 public:
  virtual ~Profiler() = default;
  /// Nothing is judged: a wrong candidate has a profile, too. Nothing: it was interrupted. Throws Error(bad_input)
  /// where the candidate does not compile or its launch does not end well, Error(environment) where the device is
  /// missing or lost.
  virtual std::optional<Profile> profile(const Realized& realized, const ProfileRequest& request) = 0;
};

}  // namespace harness
