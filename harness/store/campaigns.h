#pragma once
#include "harness/store/condition.h"

namespace harness::store {

/// The objects of `harness campaigns --json`, newest first. Single evaluations are left out; spaces that other tuners
/// recorded are not. "score" is the geometric mean, each workload alike, of what was confirmed (where nothing was, of
/// what passed) over the baseline; null: nothing passed. "driver" is its release where the campaign recorded one.
/// Sorted and filtered as `history`, but for outcome, verdict, variant, technique and workload: these keep campaigns
/// with at least one such iteration.
json campaigns(Store& store, const HistoryFilter& filter = {});

/// Those of a number, of a name, or all for the word "latest"; the newest first. Empty: there is none.
std::vector<std::int64_t> campaigns_called(Store& store, const std::string& text);
/// The newest of these. Throws Error(bad_input), with the nearest name, where there is none.
std::int64_t campaign_called(Store& store, const std::string& text);
/// The last one before it of the same name; where it has none, of the same kernels on the same device.
std::optional<std::int64_t> campaign_before(Store& store, std::int64_t campaign);

/// A campaign's best of each kernel and workload, as v_best has them of all: kernel, workload, variant, config,
/// time_ns, time_lo_ns, time_hi_ns, speedup, floor_ns, confirmed, emulation, contract_hash, device_name, iteration.
json bests_of(Store& store, std::int64_t campaign);

/// The environment as recorded: an object, empty where there is none.
json environment_facts(Store& store, std::int64_t campaign);

}  // namespace harness::store
