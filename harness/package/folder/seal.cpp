#include "harness/package/folder/seal.h"

#include "harness/core/hash.h"

namespace harness::package {
namespace {

std::string seal_of(json description) {
  description.erase("seal");
  return sha256_hex(description.dump());
}

}  // namespace

std::string seal(PackageFiles& files) {
  json described = parse_json(files.at("kernel.json"));
  json digests = json::object();
  for (const auto& [path, bytes] : files)
    if (path != "kernel.json") digests[path] = sha256_hex(bytes);
  described["digests"] = std::move(digests);
  described["seal"] = seal_of(described);
  files["kernel.json"] = described.dump(1) + "\n";
  return sha256_hex(files["kernel.json"]);
}

bool is_sealed(const json& description) {
  return description.value("seal", json()) == seal_of(description);
}

}  // namespace harness::package
