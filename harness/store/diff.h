#pragma once
#include <cstdint>

#include "harness/core/json.h"
#include "harness/store/store.h"

namespace harness::store {

/// Two iterations side by side:
///   "a", "b"       the iteration objects of `show`, without samples and log
///   "parameters"   [{"name","a","b"}] for each parameter that differs; null where one side has none
///   "times"        {"time_ns": {"a","b","ratio"}, ...}: ratio is b / a; null where either is unknown
///   "resources"    the same for registers, shared_bytes, spill_bytes, local_bytes
///   "gates"        [{"name","a","b"}]: passed or not on each side; null where it was not checked
///   "source"       unified diff; "" where both are the same text, null where a text is not recorded
///   "comparable"   false where kernel, workload, contract or device name differ: then times say nothing
json diff(Store& store, std::int64_t a, std::int64_t b);

}  // namespace harness::store
