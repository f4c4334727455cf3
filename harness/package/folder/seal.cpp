#include "harness/package/folder/seal.h"

#include "harness/core/hash.h"

namespace harness::package {
namespace {

constexpr const char* kChecksum = "checksum";
constexpr const char* kFormerly = "seal";  // older programs called it so

std::string checksum_of(json description) {
  description.erase(kChecksum);
  description.erase(kFormerly);
  return sha256_hex(description.dump());
}

}  // namespace

std::string seal(PackageFiles& files) {
  json described = parse_json(files.at("kernel.json"));
  json digests = json::object();
  for (const auto& [path, bytes] : files)
    if (path != "kernel.json") digests[path] = sha256_hex(bytes);
  described["digests"] = std::move(digests);
  described[kChecksum] = checksum_of(described);
  files["kernel.json"] = described.dump(1) + "\n";
  return sha256_hex(files["kernel.json"]);
}

bool has_checksum(const json& description) {
  return description.value(description.contains(kChecksum) ? kChecksum : kFormerly, json()) == checksum_of(description);
}

}  // namespace harness::package
