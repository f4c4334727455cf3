#include "harness/evaluate/counters_profiler.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/floor.h"
#include "harness/core/gpu.h"
#include "harness/worker/profile/device_profile.h"

namespace harness {
namespace {

constexpr double kProfileDeadline = 60;  // s, of each way to count

double launches_of(const Plan& plan) {
  return static_cast<double>(
      std::ranges::count_if(plan.steps, [](const Step& step) { return !std::holds_alternative<Memset>(step); }));
}

Artifact built_for_counters(WorkerPool& workers, const Realized& realized) {
  if (!has_launch(realized.plan)) return {};
  const BuildResult result = workers.await(realized.build);
  if (const auto* failure = std::get_if<CompileFailure>(&result))
    throw bad_input(fmt::format("{} does not compile, so it cannot be profiled: {}", realized.build.source_name,
                                failure->log.substr(0, 2000)));
  return std::get<Artifact>(result);
}

}  // namespace

void add_limits(const Realized& realized, const DeviceInfo& device, const MeasuredPeaks& peaks, Profile& profile) {
  const auto add = [&](const char* name, double value) {
    if (value > 0 && !profile.number(name)) profile.numbers.push_back({name, value});
  };
  if (const auto floor = floor_ns(realized.problem.work, device)) add("floor_ns", floor->ns);
  add("least_bytes", realized.problem.work.bytes);
  add("launches", launches_of(realized.plan));
  const GpuFacts* const model = gpu_of_device(device.name);
  add("launch_ns", peaks.launch_ns > 0 ? peaks.launch_ns : model == nullptr ? 0 : model->launch_ns);
  add("multiprocessors", device.multiprocessors);
}

std::optional<Profile> CountersProfiler::profile(const Realized& realized, const ProfileRequest& request) {
  try {
    return count(realized, request);
  } catch (const InterruptedWork&) {
    return std::nullopt;
  } catch (const DeviceFault& fault) {
    throw bad_input(
        fmt::format("the run that was to be profiled failed: {}; 'harness eval' says what is wrong", fault.what()));
  }
}

Profile CountersProfiler::count(const Realized& realized, const ProfileRequest& request) {
  Subject subject = workers_.make_subject(realized, built_for_counters(workers_, realized), nullptr);
  subject.trusted = workers_.build_trusted(realized);
  const auto hold = workers_.hold_device();
  workers_.paint(subject, 0);
  const PlanToProfile plan{&subject.executable, &subject.images[0]};
  auto profiles =
      profile_on_device(workers_.kind, workers_.target, {&plan, 1}, kProfileDeadline, workers_.stop, request.through);
  Profile profile = std::move(profiles.at(0));
  add_limits(realized, workers_.device, peaks_, profile);
  return profile;
}

}  // namespace harness
