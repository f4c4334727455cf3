#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/archive.h"
#include "harness/core/formula_catalog.h"
#include "harness/package/folder/measured.h"

namespace harness::package {

/// What a package may be made of although it is weaker, and is then stamped with.
struct Allowed {
  bool unconfirmed = false, emulated = false, self_referenced = false;
};

struct RecordQuery {
  std::string kernel;
  std::vector<std::string> workloads;  // names or sets; empty: all that were measured
  std::string device;                  // name; "": all
  Allowed allowed;
};

/// What the record has of a kernel that can be packaged.
struct PackageRecord {
  std::vector<MeasuredPoint> points;
  std::vector<DeviceInfo> devices;   // by name, as they were when they were measured
  std::set<std::string> stamps;      // "unconfirmed", "emulated", "self-referenced": what was allowed and used
  std::vector<std::string> refused;  // sentences
  std::map<std::string, std::string> sources;  // by variant: text in the place of the plugin's own
  TunedTable table;                            // if one was given
};

/// Reads the store. In `catalog` recorded sources take the place of the plugin's, and shapes become workloads. Throws
/// Error(bad_input) where nothing at all is left to package, with the reasons.
PackageRecord read_record(Archive& archive, FormulaCatalog& catalog, const RecordQuery& query);

}  // namespace harness::package
