#include "harness/device/cuda/run/own_kernels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/core/error.h"
#include "harness/device/cuda/compile/compiler.h"

namespace harness::cuda {
namespace {

Artifact compile_own(const std::string& cache_folder, const std::string& architecture, const BuildSpec& spec) {
  BuildResult result = NvrtcCompiler(cache_folder, architecture, "").build(spec);
  if (const auto* failure = std::get_if<CompileFailure>(&result)) {
    throw environment_error(fmt::format("{}, a part of the harness, does not compile for {}: {}", spec.source_name,
                                        architecture, failure->log));
  }
  return std::get<Artifact>(std::move(result));
}

}  // namespace

OwnKernels::OwnKernels(const DriverApi& api, ModuleCache& modules, const std::string& cache_folder,
                       const std::string& architecture, const BuildSpec& build)
    : api_(api), artifact_(compile_own(cache_folder, architecture, build)), module_(modules.load(artifact_)) {}

void OwnKernels::launch_packed(const std::string& entry, const Shape& shape, Stream stream, void** arguments,
                               const std::vector<std::int64_t>& bytes) const {
  const LoadedFunction& function = module_->functions.at(entry);
  if (bytes != function.parameter_bytes) {
    throw environment_error(fmt::format("{} takes parameters of [{}] bytes and was given [{}].", entry,
                                        fmt::join(function.parameter_bytes, ", "), fmt::join(bytes, ", ")));
  }
  LaunchConfig config;
  config.grid_x = shape.blocks;
  config.grid_y = shape.rows_of_blocks;
  config.block_x = shape.threads;
  config.shared_bytes = shape.shared_bytes;
  config.stream = stream;
  check(api_, api_.cuLaunchKernelEx(&config, function.handle, arguments, nullptr),
        fmt::format("cuLaunchKernelEx of {}", entry));
}

}  // namespace harness::cuda
