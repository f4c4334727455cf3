#pragma once
#include <string>

#include "harness/core/archive.h"
#include "harness/package/folder/model.h"
#include "harness/package/folder/seal.h"

namespace harness::package {

/// Where a package came from.
struct Provenance {
  std::string program, revision;  // "harness 0.1.0", of git
  std::string licence;            // text of a LICENSE; "" where none was found
};

/// All files but kernel.json's digests, which seal() adds. `plugin` is the kernel's folder, `include` that of the
/// headers every kernel may include.
PackageFiles package_files(const PackageModel& model, FormulaCatalog& catalog, Archive& archive,
                           const Provenance& provenance, const std::string& plugin, const std::string& include);

/// Nothing or all: into a folder beside `folder`, which is renamed at the end. Throws Error(bad_input) if there is
/// something in `folder` already, Error(environment) if it cannot be written.
void write_package(const std::string& folder, const PackageFiles& files);

}  // namespace harness::package
