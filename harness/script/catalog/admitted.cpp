#include "harness/script/catalog/admitted.h"

#include <utility>

#include "harness/system/files.h"

namespace harness::script {

AdmittedFile::AdmittedFile(const std::filesystem::path& kernel_folder, std::string baseline_hash)
    : path_((kernel_folder / "admitted.json").string()), baseline_hash_(std::move(baseline_hash)) {}

json AdmittedFile::whole() const {
  const json fresh{{"hash", baseline_hash_}, {"devices", json::object()}};
  const std::optional<std::string> text = read_file_if_any(path_);
  if (!text) return fresh;
  const json recorded = parse_json_if_valid(*text);
  const bool belongs = recorded.is_object() && recorded.value("hash", json()) == fresh["hash"] &&
                       recorded.value("devices", json()).is_object();
  return belongs ? recorded : fresh;
}

AdmissionParts AdmittedFile::read(const std::string& device_key) const {
  const json recorded = whole();
  const auto parts = recorded["devices"].find(device_key);
  if (parts == recorded["devices"].end() || !parts->is_object()) return {};
  return parts->get<AdmissionParts>();
}

void AdmittedFile::write(const std::string& device_key, const AdmissionParts& parts) const {
  json recorded = whole();
  recorded["devices"][device_key] = parts;
  write_file(path_, recorded.dump(1) + "\n");
}

}  // namespace harness::script
