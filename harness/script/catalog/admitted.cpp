#include "harness/script/catalog/admitted.h"

#include "harness/core/json.h"
#include "harness/system/files.h"

namespace harness::script {
namespace {

std::string file_of(const LoadedKernel& kernel) {
  return (kernel.manifest.folder() / "admitted.json").string();
}

/// { hash, devices: { key: { part: found } } }
json read_whole(const LoadedKernel& kernel) {
  const json fresh{{"hash", kernel.baseline_hash()}, {"devices", json::object()}};
  const std::optional<std::string> text = read_file_if_any(file_of(kernel));
  if (!text) return fresh;
  const json found = json::parse(*text, nullptr, false);
  const bool belongs =
      found.is_object() && found.value("hash", json()) == fresh["hash"] && found.value("devices", json()).is_object();
  return belongs ? found : fresh;
}

}  // namespace

AdmissionParts read_admitted(const LoadedKernel& kernel, const std::string& device_key) {
  const json whole = read_whole(kernel);
  const auto found = whole["devices"].find(device_key);
  if (found == whole["devices"].end() || !found->is_object()) return {};
  return found->get<AdmissionParts>();
}

void write_admitted(const LoadedKernel& kernel, const std::string& device_key, const AdmissionParts& parts) {
  json whole = read_whole(kernel);
  whole["devices"][device_key] = parts;
  write_file(file_of(kernel), whole.dump(1) + "\n");
}

}  // namespace harness::script
