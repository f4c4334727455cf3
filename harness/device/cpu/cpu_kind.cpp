#include "harness/device/cpu/cpu_kind.h"

#include "harness/device/cpu/check/source_lines.h"
#include "harness/device/cpu/compile/compiler.h"
#include "harness/device/cpu/probe.h"
#include "harness/device/cpu/session.h"

namespace harness::cpu {

std::vector<DeviceInfo> CpuKind::probe() const {
  return {probe_cpu()};
}

std::unique_ptr<Compiler> CpuKind::make_compiler(const Target& target, const Walls& walls) const {
  return std::make_unique<CpuCompiler>(target.cache_folder, target.headers, "", walls, target.compile);
}

std::unique_ptr<Session> CpuKind::make_session(const Target&) const {
  return std::make_unique<CpuSession>();
}

BuildSpec CpuKind::checked_build(BuildSpec spec) const {
  spec.checked = true;
  return spec;
}

std::map<std::uint64_t, std::string> CpuKind::source_lines(const Artifact& artifact,
                                                           const std::vector<std::uint64_t>& offsets) const {
  return cpu::source_lines(artifact.path, offsets);
}

std::map<std::uint64_t, std::uint32_t> CpuKind::columns(const Artifact& artifact,
                                                        const std::vector<std::uint64_t>& offsets) const {
  return cpu::site_columns(artifact.path, offsets);
}

std::set<std::uint64_t> CpuKind::within_functions(const Artifact& artifact,
                                                  const std::vector<std::uint64_t>& offsets) const {
  return cpu::sites_within_functions(artifact.path, offsets);
}

}  // namespace harness::cpu
