#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/campaign_figures.h"
#include "harness/core/campaign_lesson.h"
#include "harness/core/json.h"
#include "harness/core/pattern_evidence.h"

namespace harness {

/// Conditions on iterations; all that are given hold together. Names may be lists and have wildcards: core/name_list.h.
struct HistoryFilter {
  std::optional<std::int64_t> campaign;
  std::optional<std::string> kernel, outcome;
  std::int64_t limit = 20;  // negative: none
  std::optional<std::string> workload, variant, technique;
  std::optional<std::string> device;  // "cuda:0", or the name of one: "NVIDIA H200"
  std::optional<std::string> verdict;
  std::optional<double> since_unix;  // ended then or later
  std::optional<std::string> sort;   // a column of the rows; "-" before it: the largest first
};

/// One side of a comparison: a campaign, or all that counts on a device of this name.
struct ComparedSide {
  std::optional<std::int64_t> campaign;
  std::string device_name;
};

enum class CostBy { technique, stage, campaign, device };

struct SqlAnswer {
  std::vector<std::string> columns;
  json rows = json::array();  // arrays of values in the order of the columns; a blob as hexadecimal text
  bool truncated = false;     // more rows than the limit
};

/// A view that `query` can ask.
struct ViewDescription {
  std::string name, summary;  // "v_best", one sentence
  std::vector<std::string> columns;
};

struct RecordSize {
  std::int64_t campaigns = 0, iterations = 0;
};

// Ports to what is recorded, for people and programs. Rows are JSON objects, keys as the columns of the store's views,
// `config` as an object. What is unknown is Error(bad_input).

/// Tables of many rows.
class RecordTables {
 public:
  virtual ~RecordTables() = default;
  virtual json iterations(const HistoryFilter& filter) = 0;  // newest first
  /// The fastest of every workload and device, beside its rival.
  /// Of those that fit a filter; without one, of all that count.
  virtual json best(const HistoryFilter& filter) = 0;
  /// Time and money, dearest first.
  virtual json cost(CostBy by, const HistoryFilter& filter) = 0;
  /// One row a campaign, the newest first, as `harness campaigns --json` prints them.
  virtual json campaigns(const HistoryFilter& filter) = 0;
  /// The newest campaign of a number, of a name, or of all ("latest"). Throws Error(bad_input) with the nearest name.
  virtual std::int64_t campaign_called(const std::string& text) = 0;
  /// The last campaign before it of the same name (where it has none: of the same kernels on the same device).
  virtual std::optional<std::int64_t> campaign_before(std::int64_t campaign) = 0;
  /// What two words of `harness compare` mean: store/compare.h.
  virtual std::pair<ComparedSide, ComparedSide> compared_sides(const std::string& a, const std::string& b) = 0;
  /// Two campaigns, or two devices by their names, side by side: the object of `harness compare --json`.
  virtual json compare(const ComparedSide& a, const ComparedSide& b) = 0;
  /// Which candidate is the least bad on all measured workloads of a kernel: see store/recommend.h.
  /// `filter`: a kernel; a device and a campaign too, where they are given.
  virtual json recommend(const HistoryFilter& filter) = 0;
};

/// Single iterations and decisions, in full.
class RecordDetails {
 public:
  virtual ~RecordDetails() = default;
  /// One iteration in full; with "source" on request.
  virtual json iteration(std::int64_t id, bool with_source) = 0;
  /// A decision with "table", the numbers that it chose from.
  virtual json decision(std::int64_t id) = 0;
  /// The decision that led to an iteration; null: none did.
  virtual json decision_of(std::int64_t iteration) = 0;
  /// Two iterations side by side.
  virtual json diff(std::int64_t a, std::int64_t b) = 0;
};

/// What reports and the playbook tell of campaigns.
class CampaignSummaries {
 public:
  virtual ~CampaignSummaries() = default;
  /// What a report of one campaign is made of.
  virtual CampaignFigures figures(std::int64_t campaign) = 0;
  virtual CampaignLesson lesson(std::int64_t campaign) = 0;
  /// What came of the patterns of the playbook, by campaign and decision.
  virtual std::vector<PatternApplication> pattern_applications(const RulePatterns& rules) = 0;
};

/// Any question at all.
class RecordQueries {
 public:
  virtual ~RecordQueries() = default;
  /// One SELECT, which can do nothing but read.
  virtual SqlAnswer query(const std::string& sql) = 0;
  /// The views for people, in the order of the schema.
  virtual std::vector<ViewDescription> views() = 0;
  /// Reads the whole store: pages, indexes, references, texts against their hashes. What is wrong, a sentence each.
  virtual std::vector<std::string> integrity() = 0;
};

/// What commands look up.
class RecordLookups {
 public:
  virtual ~RecordLookups() = default;
  virtual RecordSize size() = 0;
  /// Requests to proposers and what became of them, the newest first: of one campaign, or of all.
  virtual SqlAnswer proposal_table(const std::optional<std::int64_t>& campaign, std::int64_t limit) = 0;
  /// What each proposer cost and brought, by their SPECs: in one campaign, or in all.
  virtual json proposer_table(const std::optional<std::int64_t>& campaign) = 0;
  /// Nothing: there is no such proposal.
  virtual std::optional<std::int64_t> campaign_of_proposal(std::int64_t proposal) = 0;
  /// The kernel's iterations that passed and have a time, rivals apart, the newest first, at most 20,000: rows of
  /// v_iterations.
  virtual json timed_iterations(const std::string& kernel) = 0;
};

/// All of them.
class History : public RecordTables,
                public RecordDetails,
                public CampaignSummaries,
                public RecordQueries,
                public RecordLookups {};

}  // namespace harness
