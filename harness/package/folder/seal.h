#pragma once
#include <map>
#include <string>

#include "harness/core/json.h"

namespace harness::package {

/// Paths within the package, and what is in them.
using PackageFiles = std::map<std::string, std::string>;

/// Writes the digest of every other file into kernel.json, and a seal over that. Returns the digest of kernel.json: it
/// stands for the whole package. Who can write the folder can also seal it anew: keep the digest elsewhere.
std::string seal(PackageFiles& files);

/// Whether kernel.json's seal fits the rest of it.
bool is_sealed(const json& description);

}  // namespace harness::package
