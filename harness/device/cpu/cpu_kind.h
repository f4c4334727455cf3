#pragma once
#include "harness/device/port/device_kind.h"

namespace harness::cpu {

/// CUDA C++ on the host: native code in the process of a runner, with an instrumented build as its memory checker.
class CpuKind : public DeviceKind {
 public:
  std::string name() const override { return "cpu"; }
  std::vector<DeviceInfo> probe() const override;
  std::string find_headers(const std::string& own) const override { return own; }
  std::unique_ptr<Compiler> make_compiler(const Target& target, const Walls& walls) const override;
  std::unique_ptr<Session> make_session(const Target& target) const override;
  BuildSpec checked_build(BuildSpec spec) const override;
  std::map<std::uint64_t, std::string> source_lines(const Artifact& artifact,
                                                    const std::vector<std::uint64_t>& offsets) const override;
  std::map<std::uint64_t, std::uint32_t> columns(const Artifact& artifact,
                                                 const std::vector<std::uint64_t>& offsets) const override;
  std::set<std::uint64_t> within_functions(const Artifact& artifact,
                                           const std::vector<std::uint64_t>& offsets) const override;
};

}  // namespace harness::cpu
