#include "tests/fakes/twin_device.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "harness/judge/paint.h"

namespace harness::tests {
namespace {

DeviceInfo as_twin(DeviceInfo info, int number) {
  info.device = "twin:" + std::to_string(number);
  const char* const named = std::getenv("HARNESS_TWIN_NAME");  // as a GPU of which there is a model
  info.name = named != nullptr ? named : "Twin";
  info.architecture = "twin1";
  info.emulation = info.native = false;
  return info;
}

/// Times single runs by turns on the given images, which stay as they were painted. What it keeps for the judge
/// it draws as the judge does, and then runs.
class TwinSession : public Session {
 public:
  explicit TwinSession(std::unique_ptr<Session> cpu) : cpu_(std::move(cpu)) {}

  void run(const Executable& executable, std::span<std::byte> image) override { cpu_->run(executable, image); }
  std::vector<Samples> time(std::span<const Executable> contenders, std::span<const ImageList> images,
                            std::span<const ImageList> places, const TimingPolicy& policy) override {
    std::vector<Samples> all(contenders.size());
    for (Samples& samples : all) {
      samples.calls_per_sample = samples.input_sets = 1;
      samples.method = "twin";
    }
    for (int i = 0; i < policy.min_samples; ++i)
      for (std::size_t c = 0; c < contenders.size(); ++c)
        all[c].rotating_ns.push_back(timed(contenders[c], images[c].front()));
    for (std::size_t c = 0; c < contenders.size(); ++c)
      for (std::size_t place = 0; place < places[c].size(); ++place)
        keep(contenders[c], images[c].front(), place, places[c][place], all[c]);
    return all;
  }
  MeasuredPeaks measure_peaks() override { return {.bytes_per_s = 1e15, .memory_trip_ns = 1}; }

 private:
  void keep(const Executable& executable, std::span<const std::byte> image, std::size_t place,
            std::span<std::byte> into, Samples& samples) {
    const FreshSeeds seeds{1000 + place, 2000 + place};
    std::vector<std::byte> fresh(image.size());
    judge::paint(executable.problem, executable.plan, executable.layout, 0, fresh, {.fresh = seeds});
    std::ranges::copy(image, into.begin());
    for (const ImageBuffer& buffer : executable.layout.buffers)
      if (buffer.draw) std::copy_n(fresh.begin() + buffer.offset, buffer.bytes, into.begin() + buffer.offset);
    cpu_->run(executable, into);
    samples.kept.push_back({static_cast<std::int64_t>(place), CallKind::rotating, 0, seeds});
  }

  double timed(const Executable& executable, std::span<std::byte> image) {
    const auto begin = std::chrono::steady_clock::now();
    cpu_->run(executable, image);
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  }
  std::unique_ptr<Session> cpu_;
};

/// As a GPU whose counters may not be read: of each launch it knows its shape.
class TwinProfiler : public DeviceProfiler {
 public:
  std::vector<ProfileWay> ways(const std::string&) const override { return {{ProfileSource::binary, "", ""}}; }
  std::vector<std::string> wrapper(ProfileSource, const std::string&) const override { return {}; }
  std::vector<Profile> run(const Target&, std::span<const ProfiledPlan> plans, ProfileSource way) const override {
    std::vector<Profile> profiles;
    for (const ProfiledPlan& plan : plans) {
      Profile& profile = profiles.emplace_back();
      profile.source = way;
      for (const Step& step : plan.executable->plan.steps)
        if (const auto* launch = std::get_if<Launch>(&step)) profile.launches.push_back(shape_of(*launch));
    }
    return profiles;
  }
  void read(std::string_view, ProfileSource, std::vector<Profile>&) const override {}

 private:
  static LaunchProfile shape_of(const Launch& launch) {
    const auto blocks = static_cast<std::int64_t>(launch.grid.x) * launch.grid.y * launch.grid.z;
    return {launch.entry, blocks, blocks, {{"blocks", static_cast<double>(blocks)}}, {}};
  }
};

}  // namespace

std::vector<DeviceInfo> TwinKind::probe() const {
  const DeviceInfo cpu = cpu_.probe().front();
  return {as_twin(cpu, 0), as_twin(cpu, 1)};
}

std::optional<DeviceInfo> TwinKind::describe_architecture(const std::string& architecture) const {
  if (architecture != "twin1") return std::nullopt;
  return as_twin(cpu_.probe().front(), 0);
}

std::unique_ptr<Compiler> TwinKind::make_compiler(const Target& target, const Walls& walls) const {
  return cpu_.make_compiler(target, walls);
}

std::unique_ptr<Session> TwinKind::make_session(const Target& target) const {
  return std::make_unique<TwinSession>(cpu_.make_session(target));
}

std::unique_ptr<DeviceProfiler> TwinKind::make_profiler() const {
  return std::make_unique<TwinProfiler>();
}

}  // namespace harness::tests
