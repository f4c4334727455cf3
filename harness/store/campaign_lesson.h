#pragma once
#include "harness/core/campaign_lesson.h"
#include "harness/store/store.h"

namespace harness::store {

/// Throws Error(bad_input) for an unknown campaign.
CampaignLesson campaign_lesson(Store& store, std::int64_t campaign);

}  // namespace harness::store
