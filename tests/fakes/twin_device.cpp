#include "tests/fakes/twin_device.h"

#include <chrono>
#include <cstring>

namespace harness::tests {
namespace {

DeviceInfo as_twin(DeviceInfo info, int number) {
  info.device = "twin:" + std::to_string(number);
  info.name = "Twin";
  info.architecture = "twin1";
  info.emulation = info.native = false;
  return info;
}

/// Times single runs by turns on the given images. Its sets are never refreshed: their inputs stay as they were
/// painted.
class TwinSession : public Session {
 public:
  explicit TwinSession(std::unique_ptr<Session> cpu) : cpu_(std::move(cpu)) {}

  void run(const Executable& executable, std::span<std::byte> image) override { cpu_->run(executable, image); }
  std::vector<Samples> time(std::span<const Executable> contenders,
                            std::span<const std::vector<std::span<std::byte>>> images,
                            const TimingPolicy& policy) override {
    std::vector<Samples> all(contenders.size());
    for (Samples& samples : all) {
      samples.calls_per_sample = samples.input_sets = 1;
      samples.method = "twin";
    }
    for (int i = 0; i < policy.min_samples; ++i)
      for (std::size_t c = 0; c < contenders.size(); ++c)
        all[c].rotating_ns.push_back(timed(contenders[c], images[c].front()));
    for (std::size_t c = 0; c < contenders.size(); ++c)
      for (const std::span<std::byte> image : images[c]) {
        cpu_->run(contenders[c], image);
        all[c].rotations.push_back(0);
      }
    return all;
  }
  MeasuredPeaks measure_peaks() override { return {.bytes_per_s = 1e15}; }

 private:
  double timed(const Executable& executable, std::span<std::byte> image) {
    const auto begin = std::chrono::steady_clock::now();
    cpu_->run(executable, image);
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
  }
  std::unique_ptr<Session> cpu_;
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

}  // namespace harness::tests
