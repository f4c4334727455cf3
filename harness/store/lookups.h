#pragma once
#include "harness/core/history.h"
#include "harness/store/store.h"

namespace harness::store {

// The answers of the port RecordLookups.
RecordSize record_size(Store& store);
SqlAnswer proposal_table(Store& store, const std::optional<std::int64_t>& campaign, std::int64_t limit);
json proposer_table(Store& store, const std::optional<std::int64_t>& campaign);
std::optional<std::int64_t> campaign_of_proposal(Store& store, std::int64_t proposal);
json timed_iterations(Store& store, const std::string& kernel);

}  // namespace harness::store
