#pragma once
#include <string>

#include "harness/core/device.h"
#include "harness/device/cuda/compile/capability.h"
#include "harness/device/cuda/compile/cubin_cache.h"
#include "harness/device/cuda/compile/program_builder.h"
#include "harness/system/compile_limits.h"
#include "harness/system/confinement.h"

namespace harness::cuda {

/// CUDA C++ to a cubin for a real architecture; no GPU and no driver needed. NVRTC works in a forked child that sees
/// only the build's include folders and its own files, and writes nothing: what it made comes back through a pipe.
/// Parameter sizes, registers and stack of the entries come from the cubin; spills and static shared memory from the
/// log.
class NvrtcCompiler : public Compiler {
 public:
  /// `architecture` is a real one, "sm_90a"; `toolkit_include` the folder of cuda_fp16.h (find_toolkit_include()) or
  /// "". Throws Error if there is no libnvrtc or it does not know the architecture.
  NvrtcCompiler(const std::string& cache_folder, std::string architecture, std::string toolkit_include,
                const Walls& walls = {}, CompileLimits limits = {});

  /// What names a builder is built by that (program_builder.h). A refused option, a computed #include, an unknown entry
  /// and whatever NVRTC says are CompileFailures.
  BuildResult build(const BuildSpec& spec) override;

 private:
  Confinement confinement(const BuildSpec& spec) const;
  CubinCache cache_;
  std::string architecture_, toolkit_include_;
  Walls walls_;
  CompileLimits limits_;
  ProgramBuilder others_;
};

}  // namespace harness::cuda
