#pragma once
#include "harness/device/cpu/cpu_kind.h"

namespace harness::tests {

/// A third kind of device, as a port to another vendor's GPUs would be added: "twin:0". Its kernels run in the
/// emulation, but it says of itself what a GPU says, so that everything above treats it as one: numbered, not native,
/// timed by its own session, without a memory checker or counters, and preceded by a pre-flight on the cpu device.
class TwinKind : public DeviceKind {
 public:
  std::string name() const override { return "twin"; }
  bool numbered() const override { return true; }
  std::vector<DeviceInfo> probe() const override;
  std::string identity(const std::string& device) const override { return device + "-of-this-machine"; }
  std::string find_headers(const std::string& own) const override { return cpu_.find_headers(own); }
  std::optional<DeviceInfo> describe_architecture(const std::string& architecture) const override;
  std::unique_ptr<Compiler> make_compiler(const Target& target, const Walls& walls) const override;
  std::unique_ptr<Session> make_session(const Target& target) const override;
  std::unique_ptr<DeviceProfiler> make_profiler() const override;

 private:
  cpu::CpuKind cpu_;
};

}  // namespace harness::tests
