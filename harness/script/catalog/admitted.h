#pragma once
#include <filesystem>
#include <string>

#include "harness/core/admission.h"
#include "harness/core/json.h"

namespace harness::script {

/// The file beside a kernel's manifest that says what a trial of its gates found.
class AdmittedFile {
 public:
  /// `baseline_hash`: LoadedKernel::baseline_hash, which what is in the file belongs to.
  AdmittedFile(const std::filesystem::path& kernel_folder, std::string baseline_hash);

  /// The parts for a DeviceInfo::admission_key. Empty where there is no such file, where it belongs to another contract
  /// or baseline, or where it is damaged: then the gates are tried in full.
  AdmissionParts read(const std::string& device_key) const;
  /// Adds `parts`, or replaces those of this key. What belongs to another contract or baseline goes. Throws
  /// Error(environment) where it cannot be written.
  void write(const std::string& device_key, const AdmissionParts& parts) const;

 private:
  json whole() const;  // { hash, devices: { key: { part: found } } }

  std::string path_, baseline_hash_;
};

}  // namespace harness::script
