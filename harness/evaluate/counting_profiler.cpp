#include "harness/evaluate/counting_profiler.h"

#include "harness/system/awake_clock.h"

namespace harness {

CountingProfiler::CountingProfiler(CountingProfilerOptions options)
    : options_(std::move(options)),
      builders_(options_.target, 2),
      judge_(options_.target, options_.stop),
      runner_(options_.target, options_.stop),
      workers_{*options_.kind,  options_.target,
               options_.device, default_limits(options_.device),
               options_.stop,   builders_,
               judge_,          runner_,
               nullptr,         {}},
      counting_(counting_workers(workers_, options_.find_compiler)) {}

std::optional<Profile> CountingProfiler::profile(const Realized& realized, const ProfileRequest& request) {
  try {
    const double begin = awake_seconds();
    Profile profile = counting_.count(realized, request);
    profile.wall_s = awake_seconds() - begin;
    return profile;
  } catch (const InterruptedWork&) {
    return std::nullopt;
  }
}

}  // namespace harness
