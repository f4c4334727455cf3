#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/core/counting.h"
#include "harness/core/device.h"
#include "harness/core/gpu.h"
#include "harness/core/machine_code.h"
#include "harness/core/profile.h"
#include "harness/predict/occupancy.h"

namespace harness {

/// What a counted run says, and what is known besides.
struct CountedRun {
  std::vector<CountedLaunch> launches;
  /// The plan that was counted, whose grids are those of the GPU, and its layout and problem.
  const Executable* executable = nullptr;
  /// By step, of launches that the device cuts to what is resident: for how many blocks of the whole grid each stands.
  /// They draw their work, but one after another here, so that the first draws all that is left.
  std::map<std::int64_t, double> drawn;
  std::set<std::string> own_files;                // names of the kernel's own sources, without folders
  std::map<std::uint64_t, std::string> lines;     // places in the code: DeviceKind::source_lines
  std::map<std::string, EntryResources> machine;  // of the entries, compiled for the GPU; empty: there is no compiler
  std::map<std::string, MachineCode> code;        // of the same; empty: nobody can read it
};

/// Counts become numbers, and the model of the GPU predicts a time from them.
Profile counted_profile(const CountedRun& run, const GpuFacts& gpu);

/// What a block of a launch needs there; registers are 0 where nobody compiled it.
BlockNeeds block_needs(const Launch& launch, const Artifact& counted,
                       const std::map<std::string, EntryResources>& machine);

}  // namespace harness
