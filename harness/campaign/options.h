#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/predicted_start.h"
#include "harness/core/json.h"
#include "harness/core/proposal.h"

namespace harness {

/// A workload that a campaign may try.
struct PlannedWorkload {
  std::string kernel, workload;
  double weight = 1;
};

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
  /// Baselines, new bests and winners are profiled: "auto" where the device has counters of its own; "on", "off".
  std::string profile = "auto";
  /// Arms of which nothing is known are predicted by counting: "auto" where a model of the GPU is known, "off".
  std::string predict = "auto";
  std::vector<PredictedStart> predicted;  // what came of it so far
  /// All of them, also those that get no turn: the record says what a score is over. Written when a campaign begins.
  std::vector<PlannedWorkload> planned;
  json memory = json::object();    // of the strategy, since its last decision that set one
  bool controls = false;           // when a best is confirmed, compiler controls are tried on it
  bool rivals = true;              // measure the variants that say `rival` beside ours
  bool confirms = true;            // winners are confirmed at the end; who asks otherwise proves them himself
  std::string objective = "each";  // each: a configuration for each workload; single: one for all of a kernel
  std::string zone = "UTC";        // where the campaign was started: scripts are told the hour there
  int utc_offset_s = 0;
  std::optional<std::string> proposer;  // SPEC of whoever proposes variants
  double proposer_timeout_s = 300;      // of one request
  std::optional<TokenPrice> token_price;
  std::vector<AskedProposer> further_proposers;  // besides that one
  std::int64_t proposals_at_once = 4;            // requests under way at most
  std::int64_t request_tokens = 24000;           // of one request at most, by estimate
  std::int64_t reply_tokens = 16000;             // that a reply is taken to have at most, before it is paid
};

/// All that are asked, in the order in which they were named.
std::vector<AskedProposer> proposers_of(const CampaignOptions& options);

void to_json(json& to, const PlannedWorkload& value);
void from_json(const json& from, PlannedWorkload& value);
void to_json(json& to, const CampaignOptions& value);
void from_json(const json& from, CampaignOptions& value);

}  // namespace harness
