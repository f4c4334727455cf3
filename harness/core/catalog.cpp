#include "harness/core/catalog.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/json_fields.h"

namespace harness {

std::string Catalog::add_shape(const std::string& kernel, const std::string& text, const DeviceInfo&) {
  throw bad_input(fmt::format("kernel '{}' has no workload '{}' here", kernel, text));
}

void Catalog::use_source(const std::string& kernel, const std::string& variant, const std::string&) {
  throw bad_input(fmt::format("the source of {} {} cannot be replaced here", kernel, variant));
}

void Catalog::add_variant(const NewVariant& made) {
  throw bad_input(fmt::format("kernel '{}' takes no variant '{}' here", made.kernel, made.name));
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
