#include "harness/device/cuda/compile/entry_facts.h"

#include <algorithm>

namespace harness::cuda {
namespace {

/// Threads of a block that the registers allow: a warp takes them in units of 256, warps come in fours.
int max_threads(const CubinKernel& kernel) {
  constexpr int kRegistersOfSm = 65536;
  const int of_warp = (kernel.registers * 32 + 255) / 256 * 256;
  const int fitting = of_warp ? kRegistersOfSm / of_warp / 4 * 4 * 32 : 1024;
  const int bound = kernel.launch_bounds ? kernel.launch_bounds : 1024;
  return std::min({fitting, bound, 1024});
}

}  // namespace

std::vector<ParameterKind> known_kinds(const std::map<std::string, std::vector<ParameterKind>>& kinds,
                                       const std::string& mangled, std::size_t parameters) {
  const auto entry_kinds = kinds.find(mangled);
  return entry_kinds != kinds.end() && entry_kinds->second.size() == parameters ? entry_kinds->second
                                                                                : std::vector<ParameterKind>();
}

EntryResources entry_facts(const std::string& entry, const CubinKernel& kernel, const LoggedResources& said,
                           std::vector<ParameterKind> kinds) {
  return {entry,
          kernel.registers,
          said.static_shared_bytes,
          said.spill_bytes,
          kernel.frame_bytes,
          max_threads(kernel),
          kernel.parameter_bytes,
          std::move(kinds)};
}

}  // namespace harness::cuda
