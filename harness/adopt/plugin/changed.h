#pragma once
#include <optional>
#include <string>

#include "harness/core/formula_catalog.h"

namespace harness::adopt {

/// Where the source lies that the plugin in `folder` was adopted from; "" where that was not noted.
std::string source_of(const std::string& folder, const AdoptedFrom& from);

/// A source that is no longer what was adopted.
struct ChangedSource {
  std::string path;
  bool missing = false;
};

/// Nothing where it is the same, and where its place was not noted.
std::optional<ChangedSource> changed_source(const std::string& folder, const AdoptedFrom& from);

}  // namespace harness::adopt
