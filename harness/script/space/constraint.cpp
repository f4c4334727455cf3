#include "harness/script/space/constraint.h"

namespace harness::script {
namespace {

Facts first_values(const VariantManifest& variant) {
  Facts facts;
  for (const Parameter& parameter : variant.info().parameters) facts[parameter.name] = parameter.values.front();
  return facts;
}

}  // namespace

Facts facts_of(const std::map<std::string, Value>& values) {
  return {values.begin(), values.end()};
}

Constraint::Constraint(VariantManifest& variant, const Workload& workload, const DeviceInfo& device)
    : variant_(variant),
      valid_(variant.reader().function("valid")),
      parameters_(variant.manifest(), "parameter list", first_values(variant)),
      workload_(variant.manifest(), "workload", facts_of(workload.values)),
      device_(variant.manifest(), "device", facts_of(device_values(device))) {
  for (const Parameter& parameter : variant.info().parameters) current_.push_back(parameter.values.front());
}

bool Constraint::allows(const std::vector<Value>& values) {
  if (valid_ == nullptr) return true;
  for (std::size_t p = 0; p < values.size(); ++p) {
    if (values[p] == current_[p]) continue;
    parameters_.set(variant_.info().parameters[p].name, values[p]);
    current_[p] = values[p];
  }
  const Node result = variant_.manifest().call(*valid_, {&parameters_, &workload_, &device_});
  if (const bool* allowed = std::get_if<bool>(&result.leaf); allowed != nullptr && !result.table) return *allowed;
  throw variant_.manifest().error(line(), "valid must return true or false, not " + result.described());
}

}  // namespace harness::script
