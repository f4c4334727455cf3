#pragma once
#include <string>

#include "harness/package/folder/model.h"

namespace harness::package {

/// kernel.json without its digests: contract, dispatch, code, workloads, provenance, licences.
json description(const PackageModel& model, FormulaCatalog& catalog, const std::string& program,
                 const std::string& revision, bool has_licence);

/// Where the record of a measured point lies in the package.
std::string evidence_path(const PackageModel& model, std::size_t point);

/// A dispatch rule: {"device","variant","config","when":[{"fields":[...],"from","to"}],"why"}.
json rule_json(const Launcher& launcher, const DispatchRule& rule);
json cut_json(const DispatchCut& cut);

}  // namespace harness::package
