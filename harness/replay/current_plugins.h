#pragma once
#include <string>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/replay/recording.h"

namespace harness {

/// A record as today's plugins can be asked about it.
struct CurrentRecord {
  Recording recording;
  std::vector<std::string> notes;  // where the plugins are no longer what was recorded, in words, sorted
};

/// What was proposed in the campaign becomes a variant of `plugins` again. Names decide what answers what. A parameter
/// that the record does not know yet has the first value that is valid with the others; evaluations of configurations,
/// variants and workloads that have gone since are left out. An edited source or contract is told only. Throws
/// Error(bad_input) for a kernel that is no longer there.
CurrentRecord with_current_plugins(const Recording& recorded, Catalog& plugins);

}  // namespace harness
