#pragma once
#include <string>
#include <vector>

#include "harness/core/device.h"
#include "harness/device/cuda/compile/builder_answer.h"
#include "harness/device/cuda/compile/cubin_cache.h"
#include "harness/system/build_cache.h"
#include "harness/system/compile_limits.h"
#include "harness/system/confinement.h"
#include "harness/system/files.h"

namespace harness::cuda {

/// Machine code by a program that speaks docs/builders.md: "nvcc" and "triton" are ours, "command:PATH" is the
/// operator's. It works within the compilers' walls, with the Python environment, the toolkit and the folders of
/// $HARNESS_BUILDER_FOLDERS in its reach, and writes to one scratch folder. What it makes is cached under the request
/// and the contents of all that it says it read.
class ProgramBuilder {
 public:
  ProgramBuilder(const std::string& cache_folder, std::string architecture, std::string toolkit_include,
                 const Walls& walls, CompileLimits limits);

  /// A builder that cannot work here, ends without an answer, or says what its code does not bear out is a
  /// CompileFailure, a sentence.
  BuildResult build(const BuildSpec& spec);

 private:
  struct Program {
    std::vector<std::string> words;  // its command line
    std::string identity;            // of its text
  };
  std::vector<Program> programs(const BuildSpec& spec, const std::string& scratch) const;
  BuildResult build_in(const BuildSpec& spec, const std::string& request, const std::string& scratch);
  BuilderAnswer ask(const BuildSpec& spec, const Program& program, const std::string& scratch);
  BuildResult finish(const BuildSpec& spec, const std::string& request, const std::string& scratch,
                     const BuilderAnswer& answer);
  std::string assembled(const std::string& ptx, const std::string& scratch, std::string& log) const;
  std::string toolkit() const;
  std::vector<std::string> folders(const BuildSpec& spec) const;
  std::string key(const std::string& request, const std::vector<std::string>& read);

  CubinCache cache_;
  BuildCache notes_;
  FileHashes hashes_;
  std::string architecture_, toolkit_include_;
  Walls walls_;
  CompileLimits limits_;
};

}  // namespace harness::cuda
