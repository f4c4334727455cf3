#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/pattern_evidence.h"
#include "harness/store/store.h"

// What came of the patterns of the playbook: asked of the decisions that name them, never typed in.
namespace harness::store {

/// All applications in the newest 1000 campaigns that have some, by campaign and decision; `before`: only of campaigns
/// with a lower number.
std::vector<PatternApplication> pattern_applications(Store& store, const RulePatterns& rules,
                                                     std::optional<std::int64_t> before = {},
                                                     const std::optional<std::string>& device_name = {});

}  // namespace harness::store
