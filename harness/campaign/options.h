#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/json.h"

namespace harness {

/// What `harness run` was asked to do; stored with the campaign, so that a resume does the same.
struct CampaignOptions {
  std::vector<std::string> kernels;
  std::vector<std::string> workloads;  // names or sets; empty: the set "default" of the device
  std::vector<std::string> variants;   // empty: all
  std::string strategy = "roi", search = "default";
  std::uint64_t seed = 1;
  std::optional<double> budget_s, max_cost_usd;
  std::optional<double> goal_speedup, goal_of_floor;
  std::optional<std::string> name;
  std::optional<double> usd_per_hour;
  bool rivals = true;              // measure the variants that say `rival` beside ours
  std::string objective = "each";  // each: a configuration for each workload; single: one for all of a kernel
  std::string zone = "UTC";        // where the campaign was started: scripts are told the hour there
  int utc_offset_s = 0;
};

void to_json(json& to, const CampaignOptions& value);
void from_json(const json& from, CampaignOptions& value);

}  // namespace harness
