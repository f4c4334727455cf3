#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/core/device.h"
#include "harness/cpp_text/closure.h"
#include "harness/device/cpu/compile/cache.h"
#include "harness/device/cpu/compile/elf.h"
#include "harness/device/cpu/compile/flags.h"
#include "harness/device/cpu/compile/linking.h"
#include "harness/device/cpu/compile/prelude.h"
#include "harness/system/compile_limits.h"
#include "harness/system/confinement.h"

namespace harness {

/// Compiles CUDA C++ for the cpu device with g++ into a shared object that CpuSession loads.
///
/// Host code generation: -O2 -march=native, no strict aliasing (kernels reinterpret), products and sums may be fused as
/// under NVRTC's default -fmad=true, no errno, no exceptions. Of a build's options the language standard (-std=,
/// --std=) and the optimization level (-O0 to -O3) are obeyed; all others mean nothing to this device and are named in
/// the log. Diagnostics carry the kernel's own file name and lines.
///
/// A checked build (BuildSpec::checked) is for CpuSession's memory checker: -O1 whatever the options say, a line table,
/// and a call before every access to memory (include/harness_cpu/checked.h).
class CpuCompiler : public Compiler {
 public:
  /// `include_folder` holds the emulation's headers (harness/device/cpu/guest). `compiler` is a path; "" looks for
  /// g++ in PATH. g++ works within `walls`. Throws environment_error if there is no compiler.
  CpuCompiler(const std::string& cache_folder, std::string include_folder, const std::string& compiler = "",
              const Walls& walls = {}, CompileLimits limits = {});

  /// A hit in the cache starts no process. g++ sees the spec's include folders, the emulation's and its own, and writes
  /// to a scratch folder; what it made is read and moved into the cache after it ended.
  BuildResult build(const BuildSpec& spec) override;

  const std::string& version() const { return version_; }  // "g++ 12.2.0"

 private:
  std::string request(const BuildSpec& spec, const std::string& source, const std::vector<std::string>& flags,
                      const cpp_text::IncludeClosure& included) const;
  std::string uncovered(const BuildSpec& spec, const cpp_text::IncludeClosure& included,
                        std::vector<std::string>& headers);
  BuildResult compile_safely(const BuildSpec& spec, const std::string& source, const cpu::Flags& flags,
                             const std::string& scratch, std::vector<std::string>& headers);
  BuildResult compile(const BuildSpec& spec, const std::string& source, const cpu::Flags& flags,
                      const std::string& scratch, std::vector<std::string>& headers);
  std::string prelude(const BuildSpec& spec, const cpu::Flags& flags);
  /// Links candidate.o with its shared memory into candidate.so.
  std::string link(const BuildSpec& spec, const std::string& candidate, const cpu::ElfFacts& object,
                   const std::string& scratch, bool& failed);
  bool link_directly(const BuildSpec& spec, const std::string& candidate, const cpu::ElfFacts& object,
                     const std::string& shared_memory, const std::string& scratch);
  /// The log of a command of the compiler, which is never empty where it failed.
  std::string run(const std::vector<std::string>& command, const BuildSpec& spec, const std::string& scratch,
                  bool& failed) const;
  Confinement confinement(const BuildSpec& spec, const std::string& scratch) const;

  std::string include_folder_, cache_folder_, compiler_, version_;
  Walls walls_;
  CompileLimits limits_;
  std::vector<std::string> toolchain_;  // folders; found when first needed
  std::string identity_;                // of the compiler and of the processor that -march=native means
  cpu::ArtifactCache cache_;
  std::optional<cpu::Prelude> prelude_;  // set once the compiler is known
  std::optional<cpu::Linking> linking_;
};

}  // namespace harness
