#pragma once
#include <string>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/script/plan/variant.h"

namespace harness::script {

/// All configurations that `valid` allows, the last parameter varying fastest; found without asking for every point of
/// the product (solver.h). Where they are more than 2 million, or finding them takes more than 8 million
/// questions, the space is not listed but sampled (Space::rest). Empty if there is none. Throws Error if `valid` fails
/// or takes too long in all.
Space enumerate_space(VariantManifest& variant, const Workload& workload, const DeviceInfo& device);

/// The configuration to begin with: the first of the variant's `start`s that `valid` allows with `given` values held
/// fixed, else the first of all. Throws Error for an unknown parameter, a value outside its list (with the list), and
/// when nothing is left.
Config first_configuration(VariantManifest& variant, const Workload& workload, const DeviceInfo& device,
                           const Config& given);

bool has_configuration(VariantManifest& variant, const Workload& workload, const DeviceInfo& device);

/// Error unless `config` has exactly one listed value for each parameter and `valid` allows them together.
void check_configuration(VariantManifest& variant, const Workload& workload, const DeviceInfo& device,
                         const Config& config);

}  // namespace harness::script
