#include "harness/store/export_line.h"

#include <cmath>
#include <limits>

#include "harness/core/error.h"
#include "harness/core/json_fields.h"

// What argument-dependent lookup finds: beside the type.
namespace harness {
HARNESS_JSON(IterationRow, ended_unix, outcome, confirmed, time_ns, time_lo_ns, time_hi_ns, cold_ns, warm_ns,
             baseline_ns, speedup, speedup_lo, speedup_hi, incumbent_ns, floor_ns, verdict, emulation, calls_per_sample,
             input_sets, method, error, fingerprint, threshold_ns, stopped_ns, binary_hash, compiler, from_cache,
             registers, shared_bytes, spill_bytes, local_bytes, source_key, log_key, seeds, cost, gates, errors,
             samples)
}  // namespace harness

namespace harness::store {

json exported(const IterationRow& row) {
  json j = row;
  j["anchor_ns"] = row.anchor_ns;  // absent in exports of older versions
  for (json& error : j["errors"]) {
    for (const char* key : {"relative_l2", "tolerance"})
      if (!std::isfinite(error[key].get<double>())) error[key] = nullptr;
  }
  return j;
}

IterationRow imported(json j) {
  for (json& error : j.at("errors")) {
    for (const char* key : {"relative_l2", "tolerance"})
      if (error.at(key).is_null()) error[key] = std::numeric_limits<double>::quiet_NaN();
  }
  auto row = j.get<IterationRow>();
  if (j.contains("anchor_ns") && j.at("anchor_ns").is_number()) row.anchor_ns = j.at("anchor_ns").get<double>();
  for (const auto& time : {row.time_ns, row.cold_ns, row.warm_ns, row.baseline_ns})
    if (time && !(*time > 0)) throw bad_input("a time is not positive");
  if (row.cost.wall_s < 0) throw bad_input("wall_s is negative");
  return row;
}

}  // namespace harness::store
