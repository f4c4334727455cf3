#pragma once
#include <string>

#include "harness/core/admission.h"
#include "harness/script/catalog/catalog_kernel.h"

namespace harness::script {

/// What a trial of the kernel's gates found, in the file admitted.json beside its manifest: the hash that it belongs to
/// (LoadedKernel::baseline_hash), and by DeviceInfo::admission_key the parts. Empty where there is no such file, where
/// it belongs to another contract or baseline, or where it is damaged: then the gates are tried in full.
AdmissionParts read_admitted(const LoadedKernel& kernel, const std::string& device_key);

/// Adds `parts` to the file, or replaces those of this key. What belongs to another contract or baseline goes. Throws
/// Error(environment) where it cannot be written.
void write_admitted(const LoadedKernel& kernel, const std::string& device_key, const AdmissionParts& parts);

}  // namespace harness::script
