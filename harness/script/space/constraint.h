#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/script/plan/variant.h"

namespace harness::script {

/// A configuration or a workload as a manifest's functions see it.
Facts facts_of(const std::map<std::string, Value>& values);

/// A variant's `valid` on one workload and device, asked again and again with other parameters.
class Constraint {
 public:
  Constraint(VariantManifest& variant, const Workload& workload, const DeviceInfo& device);

  /// One value for each parameter, in the order of the variant's parameters.
  bool allows(const std::vector<Value>& values);
  int line() const { return valid_ == nullptr ? 0 : valid_->line; }

 private:
  VariantManifest& variant_;
  const FunctionRef* valid_;
  std::vector<Value> current_;
  FactsTable parameters_, workload_, device_;
};

}  // namespace harness::script
