#include "harness/device/cuda/run/loaded_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/device/cuda/run/packing.h"

namespace harness::cuda {
namespace {

std::uint64_t blocks_of_cluster(const Launch& launch) {
  return std::uint64_t{launch.cluster.x} * launch.cluster.y * launch.cluster.z;
}

std::string dim_text(const Dim3& dim) {
  return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z);
}

std::string describe_launch(const Launch& launch) {
  return fmt::format("cuLaunchKernelEx of {} with grid {}, block {}, cluster {}, {} bytes of dynamic shared memory{}",
                     launch.entry, dim_text(launch.grid), dim_text(launch.block), dim_text(launch.cluster),
                     launch.shared, launch.cooperative ? ", cooperative" : "") +
         (launch.pdl ? ", programmatic" : "");
}

/// Without stream and arguments. `attributes` must have room for three.
LaunchConfig configuration(const Launch& launch, LaunchAttribute* attributes) {
  LaunchConfig config{launch.grid.x,
                      launch.grid.y,
                      launch.grid.z,
                      launch.block.x,
                      launch.block.y,
                      launch.block.z,
                      static_cast<unsigned int>(launch.shared),
                      nullptr,
                      attributes,
                      0};
  if (blocks_of_cluster(launch) > 1) {
    LaunchAttribute& cluster = attributes[config.attribute_count++];
    cluster.id = kAttributeCluster;
    cluster.value[0] = launch.cluster.x;
    cluster.value[1] = launch.cluster.y;
    cluster.value[2] = launch.cluster.z;
  }
  if (launch.cooperative) {
    LaunchAttribute& cooperative = attributes[config.attribute_count++];
    cooperative.id = kAttributeCooperative;
    cooperative.value[0] = 1;
  }
  if (launch.pdl) {
    LaunchAttribute& programmatic = attributes[config.attribute_count++];
    programmatic.id = kAttributeProgrammatic;
    programmatic.value[0] = 1;
  }
  return config;
}

}  // namespace

LoadedPlan::LoadedPlan(const DriverApi& api, ModuleCache& modules, Libraries& libraries, const Executable& executable)
    : api_(api), executable_(&executable) {
  const auto is_launch = [](const Step& step) { return std::holds_alternative<Launch>(step); };
  if (std::ranges::any_of(executable.plan.steps, is_launch)) module_ = modules.load_fresh(executable.artifact);
  if (module_ && !executable.plan.constants.empty())
    constants_ = std::make_unique<FilledConstants>(api, *module_, executable);
  for (const Step& step : executable.plan.steps) {
    if (const auto* call = std::get_if<LibraryCall>(&step))
      library_steps_.push_back(libraries.prepare(*call, executable.problem, executable.layout));
    const auto* launch = std::get_if<Launch>(&step);
    if (!launch) {
      steps_.push_back(step);
      continue;
    }
    allow(*launch);
    if (launch->pdl && (steps_.empty() || !std::holds_alternative<Launch>(steps_.back())))
      throw LaunchRefused(launch->entry + ": a programmatic launch needs a launch right before it in the same plan.");
    steps_.emplace_back(resolved(*launch));
  }
}

Launch LoadedPlan::resolved(const Launch& launch) const {
  Launch exact = launch;
  if (launch.resident <= 0) return exact;
  const Function function = module_->functions.at(launch.entry).handle;
  if (!api_.cuOccupancyMaxActiveBlocksPerMultiprocessor || !api_.cuOccupancyMaxActiveClusters)
    throw NotSupported("this driver cannot tell how many blocks a device holds at once.");
  std::uint64_t at_once = 0;
  int count = 0, multiprocessors = 0;
  if (blocks_of_cluster(launch) > 1) {
    LaunchAttribute attributes[3];
    const LaunchConfig config = configuration(launch, attributes);
    check_launch(api_, api_.cuOccupancyMaxActiveClusters(&count, function, &config), "cuOccupancyMaxActiveClusters");
    at_once = static_cast<std::uint64_t>(count) * blocks_of_cluster(launch);
  } else {
    Device device = 0;
    const int threads = static_cast<int>(launch.block.x * launch.block.y * launch.block.z);
    check_launch(api_,
                 api_.cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, function, threads,
                                                                  static_cast<std::size_t>(launch.shared)),
                 "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    check_launch(api_, api_.cuCtxGetDevice(&device), "cuCtxGetDevice");
    check_launch(api_, api_.cuDeviceGetAttribute(&multiprocessors, kMultiprocessorCount, device),
                 "cuDeviceGetAttribute");
    at_once = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(multiprocessors);
  }
  exact.grid = blocks_that_fit(launch, at_once);
  return exact;
}

void LoadedPlan::allow(const Launch& launch) {
  const auto loaded = module_->functions.find(launch.entry);
  if (loaded == module_->functions.end()) {
    throw LaunchRefused(fmt::format("the module has no entry '{}'; it was not among those compiled.", launch.entry));
  }
  LoadedFunction& function = loaded->second;
  check_parameters(launch.entry, pack_arguments(api_, launch, executable_->problem, executable_->layout, 0),
                   function.parameter_bytes);
  if (launch.shared < 0 || launch.shared > (1 << 30)) {
    throw LaunchRefused(fmt::format("{}: {} bytes of shared memory cannot be asked for.", launch.entry, launch.shared));
  }
  if (launch.shared > function.allowed_dynamic_bytes) {
    check_launch(api_,
                 api_.cuFuncSetAttribute(function.handle, kFunctionMaxDynamicShared, static_cast<int>(launch.shared)),
                 fmt::format("cuFuncSetAttribute of {} for {} bytes of dynamic and {} of static shared memory",
                             launch.entry, launch.shared, function.static_shared_bytes));
    function.allowed_dynamic_bytes = launch.shared;
  }
  if (blocks_of_cluster(launch) > 8 && !function.any_cluster) {
    check_launch(
        api_, api_.cuFuncSetAttribute(function.handle, kFunctionNonPortableCluster, 1),
        fmt::format("cuFuncSetAttribute of {} for clusters of {} blocks", launch.entry, blocks_of_cluster(launch)));
    function.any_cluster = true;
  }
}

void LoadedPlan::enqueue(Stream stream, DevicePointer base) const {
  enqueue(stream, base, [](const Step&, const std::function<void()>& enqueue_step) { enqueue_step(); });
}

void LoadedPlan::enqueue(Stream stream, DevicePointer base, const AroundStep& around) const {
  auto library_step = library_steps_.begin();
  for (const Step& step : steps_) {
    around(step, [&] {
      if (const auto* launch = std::get_if<Launch>(&step)) enqueue_launch(*launch, stream, base);
      else if (const auto* memset = std::get_if<Memset>(&step)) enqueue_memset(*memset, stream, base);
      else (*library_step++)(stream, base);
    });
  }
}

int LoadedPlan::blocks_at_once(const Launch& launch) const {
  const Function function = module_->functions.at(launch.entry).handle;
  int count = 0;
  if (!api_.cuOccupancyMaxActiveBlocksPerMultiprocessor) return 0;
  const int threads = static_cast<int>(launch.block.x * launch.block.y * launch.block.z);
  const Status status = api_.cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, function, threads,
                                                                         static_cast<std::size_t>(launch.shared));
  check_fault(api_, status, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return status == kSuccess ? count : 0;
}

EntryResources LoadedPlan::resources(const Launch& launch) const {
  EntryResources seen = driver_resources(api_, launch.entry, module_->functions.at(launch.entry));
  for (const EntryResources& compiled : executable_->artifact.entries)
    if (compiled.entry == launch.entry) seen.spill_bytes = compiled.spill_bytes;
  return seen;
}

void LoadedPlan::enqueue_launch(const Launch& launch, Stream stream, DevicePointer base) const {
  PackedArguments arguments = pack_arguments(api_, launch, executable_->problem, executable_->layout, base);
  std::vector<void*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  LaunchAttribute attributes[3];
  LaunchConfig config = configuration(launch, attributes);
  config.stream = stream;
  const Function function = module_->functions.at(launch.entry).handle;
  const Status status = api_.cuLaunchKernelEx(&config, function, pointers.data(), nullptr);
  if (status != kSuccess) check_launch(api_, status, describe_launch(launch));
}

void LoadedPlan::enqueue_memset(const Memset& memset, Stream stream, DevicePointer base) const {
  const ImageBuffer* buffer = find_buffer(executable_->layout, memset.target);
  if (!buffer) throw LaunchRefused(fmt::format("memset: no argument or workspace is named '{}'.", memset.target));
  if (memset.offset < 0 || memset.bytes < 0 || memset.offset > buffer->bytes ||
      memset.bytes > buffer->bytes - memset.offset) {
    throw LaunchRefused(fmt::format("memset of {} bytes from {} lies outside of '{}', which has {} bytes.",
                                    memset.bytes, memset.offset, memset.target, buffer->bytes));
  }
  if (memset.bytes == 0) return;
  check_launch(
      api_,
      api_.cuMemsetD8Async(base + static_cast<DevicePointer>(buffer->offset + memset.offset),
                           static_cast<unsigned char>(memset.value), static_cast<std::size_t>(memset.bytes), stream),
      "cuMemsetD8Async");
}

}  // namespace harness::cuda
