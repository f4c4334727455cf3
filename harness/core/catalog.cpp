#include "harness/core/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/json_fields.h"

namespace harness {

void KernelEdits::use_source(const std::string& variant, const std::string&) {
  throw bad_input(fmt::format("the source of {} cannot be replaced here", variant));
}

void KernelEdits::add_variant(const NewVariant& variant) {
  throw bad_input(fmt::format("kernel '{}' takes no variant '{}' here", variant.kernel, variant.name));
}

std::string KernelEdits::add_shape(const std::string& text, const DeviceInfo&) {
  throw bad_input(fmt::format("there is no workload '{}' here", text));
}

std::vector<std::string> Catalog::inspect(const std::string& kernel, const DeviceInfo& device) {
  const std::vector<std::string> names = kernel_names();
  if (std::ranges::find(names, kernel) == names.end()) plugin(kernel);  // says what there is
  try {
    return plugin(kernel).inspect(device);
  } catch (const Error& failure) {
    return {failure.what()};
  }
}

const VariantInfo* find_variant(const KernelInfo& kernel, const std::string& name) {
  const auto found = std::ranges::find(kernel.variants, name, &VariantInfo::name);
  return found == kernel.variants.end() ? nullptr : &*found;
}

std::size_t place_of(const Parameter& parameter, const Value& value) {
  const auto same = [&](const Value& listed) { return same_value(listed, value); };
  return static_cast<std::size_t>(std::ranges::find_if(parameter.values, same) - parameter.values.begin());
}

Config configuration(const Space& space, std::size_t point) {
  Config config;
  const auto& indices = space.points.at(point);
  for (std::size_t p = 0; p < indices.size(); ++p)
    config[space.parameters[p].name] = space.parameters[p].values[indices[p]];
  return config;
}

bool is_sensible_on(const Workload& workload, const DeviceInfo& device) {
  const std::string kind = device_kind(device.device);
  return workload.devices.empty() || std::ranges::find(workload.devices, kind) != workload.devices.end();
}

HARNESS_JSON(Candidate, kernel, variant, technique, config)
HARNESS_JSON(Prior, speedup_lo, speedup_hi, probability, evaluations)
HARNESS_JSON(Parameter, name, values, bind)

}  // namespace harness
