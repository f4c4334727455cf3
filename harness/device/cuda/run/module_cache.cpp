#include "harness/device/cuda/run/module_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/device.h"
#include "harness/device/cuda/compile/cubin_cache.h"

namespace harness::cuda {
namespace {

constexpr std::size_t kMostModules = 32;

int function_attribute(const DriverApi& api, const LoadedFunction& function, int attribute) {
  int value = 0;
  check(api, api.cuFuncGetAttribute(&value, attribute, function.handle), "cuFuncGetAttribute");
  return value;
}

/// cuFuncGetParamInfo (drivers of CUDA 12.4 and later) refuses the index after the last parameter.
std::vector<std::int64_t> parameters_of(const DriverApi& api, Function function, const EntryResources& compiled) {
  if (!api.cuFuncGetParamInfo) return compiled.parameter_bytes;
  std::vector<std::int64_t> sizes;
  for (std::size_t index = 0;; ++index) {
    std::size_t offset = 0, size = 0;
    const Status status = api.cuFuncGetParamInfo(function, index, &offset, &size);
    if (status == kInvalidValue) return sizes;
    if (status == kDriverNotSupported) return compiled.parameter_bytes;
    check(api, status, "cuFuncGetParamInfo");
    sizes.push_back(static_cast<std::int64_t>(size));
  }
}

/// Of the names that the build kept, those of variables.
std::map<std::string, LoadedConstant> constants_of(const DriverApi& api, Module module,
                                                   const std::map<std::string, std::string>& names) {
  std::map<std::string, LoadedConstant> constants;
  for (const auto& [name, lowered] : names) {
    if (!name.starts_with(kConstantMark)) continue;
    LoadedConstant constant;
    check_launch(api, api.cuModuleGetGlobal_v2(&constant.address, &constant.bytes, module, lowered.c_str()),
                 fmt::format("cuModuleGetGlobal of {}", name.substr(1)));
    constants[name.substr(1)] = constant;
  }
  return constants;
}

std::shared_ptr<LoadedModule> load_module(const DriverApi& api, const Artifact& artifact) {
  const auto names = lowered_names(artifact);
  const std::string cubin = read_cubin(artifact);
  Module handle = nullptr;
  check_launch(api, api.cuModuleLoadData(&handle, cubin.data()), fmt::format("cuModuleLoadData of {}", artifact.path));
  auto loaded = std::make_shared<LoadedModule>();
  loaded->module = OwnedModule(api, handle);
  for (const EntryResources& entry : artifact.entries) {
    const auto lowered = names.find(entry.entry);
    if (lowered == names.end()) throw LaunchRefused(fmt::format("{} has no entry '{}'.", artifact.path, entry.entry));
    LoadedFunction function;
    check_launch(api, api.cuModuleGetFunction(&function.handle, handle, lowered->second.c_str()),
                 fmt::format("cuModuleGetFunction of {}", entry.entry));
    function.parameter_bytes = parameters_of(api, function.handle, entry);
    function.static_shared_bytes = function_attribute(api, function, kFunctionStaticShared);
    function.allowed_dynamic_bytes = function_attribute(api, function, kFunctionMaxDynamicShared);
    loaded->functions[entry.entry] = std::move(function);
  }
  loaded->constants = constants_of(api, handle, names);
  return loaded;
}

}  // namespace

std::shared_ptr<LoadedModule> ModuleCache::load(const Artifact& artifact) {
  const auto cached =
      std::find_if(recent_.begin(), recent_.end(), [&](const Entry& e) { return e.key == artifact.key; });
  if (cached != recent_.end()) {
    recent_.splice(recent_.begin(), recent_, cached);
  } else {
    recent_.push_front({artifact.key, load_module(api_, artifact)});
    if (recent_.size() > kMostModules) recent_.pop_back();
  }
  return recent_.front().module;
}

std::shared_ptr<LoadedModule> ModuleCache::load_fresh(const Artifact& artifact) {
  recent_.remove_if([&](const Entry& e) { return e.used && e.key == artifact.key; });
  auto module = load(artifact);
  recent_.front().used = true;
  return module;
}

EntryResources driver_resources(const DriverApi& api, const std::string& entry, const LoadedFunction& function) {
  EntryResources resources;
  resources.entry = entry;
  resources.registers = function_attribute(api, function, kFunctionRegisters);
  resources.static_shared_bytes = function.static_shared_bytes;
  resources.local_bytes = function_attribute(api, function, kFunctionLocalBytes);
  resources.max_threads = function_attribute(api, function, kFunctionMaxThreads);
  resources.parameter_bytes = function.parameter_bytes;
  return resources;
}

}  // namespace harness::cuda
