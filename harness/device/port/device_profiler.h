#pragma once
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/device.h"
#include "harness/core/profile.h"
#include "harness/device/port/target.h"

namespace harness {

/// A plan to be profiled, and a painted image that its launches may change.
struct ProfiledPlan {
  const Executable* executable = nullptr;
  std::span<std::byte> image;
};

/// Reads a device's counters, in a process of its own that never times (worker/profile/device_profile.h): what counts
/// launches slows them down for good. Holds nothing; the supervisor and the profiled process each have one.
class DeviceProfiler {
 public:
  virtual ~DeviceProfiler() = default;
  /// The best first. The last needs no counters.
  virtual std::vector<ProfileWay> ways(const std::string& device) const = 0;
  /// A program and its arguments before those of the profiled process, which write into `log`; empty: there is none.
  virtual std::vector<std::string> wrapper(ProfileSource way, const std::string& log) const = 0;
  /// The profiled process: runs each plan as often as its counters need. One profile a plan, in their order. Throws
  /// Error where the way does not work here, and as Session::run does.
  virtual std::vector<Profile> run(const Target& target, std::span<const ProfiledPlan> plans,
                                   ProfileSource way) const = 0;
  /// Adds to profiles of run() what the wrapper wrote. Throws Error where it wrote nothing of them.
  virtual void read(std::string_view log, ProfileSource way, std::vector<Profile>& profiles) const = 0;
};

}  // namespace harness
