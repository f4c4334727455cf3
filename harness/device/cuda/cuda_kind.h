#pragma once
#include "harness/device/port/device_kind.h"

namespace harness::cuda {

/// NVIDIA's GPUs: NVRTC, the driver's API and compute-sanitizer, each found at run time.
class CudaKind : public DeviceKind {
 public:
  std::string name() const override { return "cuda"; }
  bool numbered() const override { return true; }
  std::vector<DeviceInfo> probe() const override;
  /// What CUDA_VISIBLE_DEVICES maps its number to.
  std::string identity(const std::string& device) const override;
  std::string find_headers(const std::string& own) const override;
  std::optional<DeviceInfo> describe_architecture(const std::string& architecture) const override;
  std::unique_ptr<Compiler> make_compiler(const Target& target, const Walls& walls) const override;
  std::unique_ptr<Session> make_session(const Target& target) const override;
  std::vector<BuildSpec> own_builds(const DeviceInfo& device) const override;
  std::unique_ptr<DeviceJudge> make_judge(const Target& target) const override;
  std::map<std::string, std::string> linked_names(const Artifact& artifact) const override;
  std::string image_hash(std::string_view image) const override;
  Disassembly disassemble(const Artifact& artifact) const override;
  std::map<std::string, MachineCode> machine_code(const Artifact& artifact) const override;
  BuildSpec checked_build(BuildSpec spec) const override;
  std::unique_ptr<MemoryWatcher> make_watcher() const override;
  std::unique_ptr<DeviceProfiler> make_profiler() const override;
};

}  // namespace harness::cuda
