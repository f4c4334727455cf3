#pragma once
#include <map>
#include <string>

#include "harness/core/json.h"

namespace harness::package {

/// Paths within the package, and what is in them.
using PackageFiles = std::map<std::string, std::string>;

/// Writes the digest of every other file into kernel.json, and a checksum of that. Returns the digest of kernel.json:
/// it stands for the whole package. A checksum finds accidents. Who can write the folder can make it anew: a signature
/// (shipping/package_signature.h), or the digest kept elsewhere, finds that.
std::string seal(PackageFiles& files);

/// Whether kernel.json's checksum fits the rest of it.
bool has_checksum(const json& description);

}  // namespace harness::package
