#include "harness/device/cuda/loaded_plan.h"

#include <fmt/format.h>

#include "harness/device/cuda/packing.h"

namespace harness::cuda {
namespace {

std::uint64_t blocks_of_cluster(const Launch& launch) {
  return std::uint64_t{launch.cluster.x} * launch.cluster.y * launch.cluster.z;
}

std::string to_text(const Dim3& dim) {
  return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z);
}

std::string describe_launch(const Launch& launch) {
  return fmt::format("cuLaunchKernelEx of {} with grid {}, block {}, cluster {}, {} bytes of dynamic shared memory{}",
                     launch.entry, to_text(launch.grid), to_text(launch.block), to_text(launch.cluster), launch.shared,
                     launch.cooperative ? ", cooperative" : "");
}

}  // namespace

LoadedPlan::LoadedPlan(const DriverApi& api, ModuleCache& modules, const Executable& executable)
    : api_(api), executable_(&executable), module_(modules.load_fresh(executable.artifact)) {
  for (const Step& step : executable.plan.steps) {
    if (const auto* launch = std::get_if<Launch>(&step)) allow(*launch);
    if (const auto* call = std::get_if<LibraryCall>(&step)) {
      throw NotSupported(
          fmt::format("the library call {}.{} is not supported on this device yet.", call->library, call->operation));
    }
  }
}

void LoadedPlan::allow(const Launch& launch) {
  const auto found = module_->functions.find(launch.entry);
  if (found == module_->functions.end()) {
    throw LaunchRefused(fmt::format("the module has no entry '{}'; it was not among those compiled.", launch.entry));
  }
  LoadedFunction& function = found->second;
  check_parameters(launch.entry, pack_arguments(launch, executable_->problem, executable_->layout, 0),
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
  for (const Step& step : executable_->plan.steps) {
    if (const auto* launch = std::get_if<Launch>(&step)) enqueue_launch(*launch, stream, base);
    else enqueue_memset(std::get<Memset>(step), stream, base);
  }
}

void LoadedPlan::enqueue_launch(const Launch& launch, Stream stream, DevicePointer base) const {
  PackedArguments arguments = pack_arguments(launch, executable_->problem, executable_->layout, base);
  std::vector<void*> pointers;
  for (auto& argument : arguments) pointers.push_back(argument.data());
  LaunchAttribute attributes[2];
  LaunchConfig config{launch.grid.x,
                      launch.grid.y,
                      launch.grid.z,
                      launch.block.x,
                      launch.block.y,
                      launch.block.z,
                      static_cast<unsigned int>(launch.shared),
                      stream,
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
