#include "harness/device/cuda/profile/profiled_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/core/error.h"
#include "harness/device/cuda/probe.h"
#include "harness/device/cuda/profile/counters.h"
#include "harness/device/cuda/run/relocation.h"

namespace harness::cuda {
namespace {

using Clock = std::chrono::steady_clock;

double spent_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

HeldAtOnce held_at_once(const DriverApi& api, Device device) {
  HeldAtOnce held;
  check(api, api.cuDeviceGetAttribute(&held.multiprocessors, kMultiprocessorCount, device), "cuDeviceGetAttribute");
  check(api, api.cuDeviceGetAttribute(&held.threads, kMaxThreadsPerMultiprocessor, device), "cuDeviceGetAttribute");
  return held;
}

std::string chip_name(const CuptiApi& cupti, int ordinal) {
  CuptiChip chip;
  chip.device = static_cast<std::size_t>(ordinal);
  HARNESS_CUPTI(cupti, cuptiDeviceGetChipName, chip);
  return chip.name;
}

/// Numbers of the launches take precedence over what their sum cannot know.
void settle(Profile& profile) {
  const auto time = profile.number("time_ns");
  profile.numbers = sum_of_launches(profile.launches);
  if (time && !profile.number("time_ns")) profile.numbers.push_back({"time_ns", *time});
}

bool is_memset(const Step& step) {
  return std::holds_alternative<Memset>(step);
}

}  // namespace

ProfiledDevice::ProfiledDevice(const DriverApi& api, int ordinal, std::span<const ProfiledPlan> plans)
    : api_(api),
      ordinal_(ordinal),
      context_(api, ordinal),
      name_(describe_device(api, ordinal).name),
      held_(held_at_once(api, context_.device())),
      stream_(create_stream(api)),
      modules_(api),
      libraries_(api),
      memory_(api),
      pristine_memory_(api),
      events_(api) {
  std::size_t most = 0;
  for (const ProfiledPlan& plan : plans) most = std::max(most, plan.image.size());
  base_ = memory_.reserve(static_cast<std::int64_t>(most));
  pristine_ = pristine_memory_.reserve(static_cast<std::int64_t>(most));
  for (const ProfiledPlan& plan : plans)
    plans_.push_back({plan, std::make_unique<LoadedPlan>(api_, modules_, libraries_, *plan.executable)});
}

Profile ProfiledDevice::facts(const Loaded& loaded) const {
  Profile profile;
  profile.device = name_;
  for (const Step& step : loaded.plan->steps()) {
    if (const auto* launch = std::get_if<Launch>(&step))
      profile.launches.push_back(launch_facts(*loaded.plan, *launch, held_));
    else if (const auto* call = std::get_if<LibraryCall>(&step))
      profile.launches.push_back({.entry = call->library + " " + call->operation});
  }
  settle(profile);
  return profile;
}

void ProfiledDevice::upload(const Loaded& loaded) {
  const std::span<std::byte> image = loaded.given.image;
  if (image.empty()) return;
  const RelocatedImage relocated(loaded.given.executable->layout, image, base_);
  check(api_, api_.cuMemcpyHtoDAsync_v2(pristine_, image.data(), image.size(), stream_.get()), "cuMemcpyHtoDAsync");
  synchronize(api_, stream_.get());
}

/// The image of the last upload, where the plan runs: in memory, not in the L2.
void ProfiledDevice::restore(const Loaded& loaded) {
  const std::size_t bytes = loaded.given.image.size();
  if (bytes == 0) return;
  check(api_, api_.cuMemcpyDtoDAsync_v2(base_, pristine_, bytes, stream_.get()), "cuMemcpyDtoDAsync");
  if (emptying_ != nullptr) emptying_->enqueue_flush(stream_.get());
  synchronize(api_, stream_.get());
}

double ProfiledDevice::run(const Loaded& loaded) {
  upload(loaded);
  restore(loaded);
  loaded.plan->fill_constants(stream_.get(), base_);
  events_.record_start(stream_.get());
  loaded.plan->enqueue(stream_.get(), base_);
  events_.record_end(stream_.get());
  synchronize(api_, stream_.get());
  return events_.ns();
}

std::vector<Profile> ProfiledDevice::without_counters(bool timed) {
  std::vector<Profile> profiles;
  for (const Loaded& loaded : plans_) {
    const auto begin = Clock::now();
    Profile profile = facts(loaded);
    double time = run(loaded);
    if (timed) {
      time = run(loaded);  // the first is slowed down by what a first launch has to fetch
      profile.numbers.push_back({"time_ns", time});
    }
    profile.wall_s = spent_since(begin);
    profiles.push_back(std::move(profile));
  }
  return profiles;
}

std::vector<Profile> ProfiledDevice::with_counters(const CuptiApi& cupti, const std::string& cache_folder) {
  if (!cache_folder.empty())
    emptying_ = std::make_unique<MeasuringKernels>(api_, modules_, stream_.get(), cache_folder,
                                                   describe_device(api_, ordinal_));
  std::vector<Profile> profiles;
  for (const Loaded& loaded : plans_) {
    profiles.push_back(facts(loaded));
    run(loaded);
  }
  CuptiInitialize initialize;
  HARNESS_CUPTI(cupti, cuptiProfilerInitialize, initialize);
  const CounterConfig config(cupti, chip_name(cupti, ordinal_), counter_names());
  RangeProfiler ranges(cupti, context_.get(), config);
  for (std::size_t i = 0; i < plans_.size(); ++i) {
    upload(plans_[i]);
    const auto begin = Clock::now();
    const double set_up_before = ranges.set_up_s();
    count(plans_[i], ranges, config, profiles[i]);
    profiles[i].source = ProfileSource::cupti;
    profiles[i].wall_s = spent_since(begin) - (ranges.set_up_s() - set_up_before);
  }
  return profiles;
}

void ProfiledDevice::count(const Loaded& loaded, RangeProfiler& ranges, const CounterConfig& config, Profile& profile) {
  if (profile.launches.empty()) return;  // memsets alone
  const auto& steps = loaded.plan->steps();
  const bool kernels_alone =
      std::ranges::all_of(steps, [](const Step& step) { return std::holds_alternative<Launch>(step); });
  const auto rows =
      kernels_alone ? count_kernels(loaded, ranges) : count_steps(loaded, ranges, profile.launches.size());
  if (rows.size() != profile.launches.size())
    throw environment_error(
        fmt::format("CUPTI counted {} ranges where {} were launched", rows.size(), profile.launches.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows[i].size(); ++k)
      add_counter(config.metrics()[k], rows[i][k], profile.launches[i].numbers);
  settle(profile);
}

std::vector<std::vector<double>> ProfiledDevice::count_kernels(const Loaded& loaded, RangeProfiler& ranges) {
  return ranges.each_kernel(
      loaded.plan->steps().size(), [&] { restore(loaded); },
      [&] {
        loaded.plan->enqueue(stream_.get(), base_);
        synchronize(api_, stream_.get());
      });
}

/// A range for each step but memsets: a library's call may start several kernels.
std::vector<std::vector<double>> ProfiledDevice::count_steps(const Loaded& loaded, RangeProfiler& ranges,
                                                             std::size_t steps) {
  const auto around = [&, next = std::size_t{0}](const Step& step, const std::function<void()>& enqueue_step) mutable {
    if (is_memset(step)) return enqueue_step();
    ranges.push(std::to_string(next++).c_str());
    enqueue_step();
    ranges.pop();
  };
  return ranges.user_ranges(
      steps, [&] { restore(loaded); },
      [&] {
        loaded.plan->enqueue(stream_.get(), base_, around);
        synchronize(api_, stream_.get());
      });
}

}  // namespace harness::cuda
