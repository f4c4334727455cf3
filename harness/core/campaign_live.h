#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/enum_text.h"
#include "harness/core/json.h"

// What a campaign does at this moment, so that another process, a page or an agent's client can show it.
namespace harness {

/// An evaluation that is under way.
struct LiveFlight {
  std::int64_t attempt = 0;
  std::string kernel, variant, config, workload, purpose;
  std::string node;  // of a fleet; "": the campaign's one device
  double begun_unix = 0;
};

/// The fastest that passed on a workload so far.
struct LiveBest {
  std::string kernel, workload, variant;
  double time_ns = 0;
  double speedup = 0;  // over the baseline; 0: not known
  bool confirmed = false;
};

/// What an evaluation came to.
struct LiveEnd {
  std::int64_t iteration = 0;
  std::string kernel, variant, config, workload, outcome;
  std::optional<double> time_ns;
};

/// Another arm was chosen, or one was left for good.
struct LiveChange {
  std::string kernel, workload, technique, why;
  bool closed = false;
};

/// Seconds since 1970 where a name ends with _unix. What runs on (spent time, the age of a phase) is computed by
/// whoever reads it, from the clock: nothing has to be written for it.
struct CampaignLive {
  std::int64_t campaign = 0;
  double told_unix = 0;   // when all of this was so
  std::string doing;      // "softmax 20_online BLOCK=128 on r4096x1024_bf16"
  double doing_unix = 0;  // since when
  std::string phase;      // "trial of the gates", "build", "gates", "timing", "confirmation, timing"; "": not said
  double phase_unix = 0;
  std::optional<double> phase_deadline_unix;  // when it is given up; absent: it has no deadline of its own
  std::vector<LiveFlight> flights;
  double spent_s = 0, spent_unix = 0;  // what was spent, and when
  std::optional<double> budget_s, spent_usd, max_cost_usd;
  std::int64_t iterations = 0;
  std::map<std::string, std::int64_t> outcomes;
  std::size_t workloads = 0;           // to be optimized
  std::vector<LiveBest> best;          // of the workloads that have one
  std::optional<LiveChange> decision;  // the last one
  std::optional<LiveEnd> last;         // the last evaluation that has ended
};
// As objects with the names above; what an object lacks has its default.
void to_json(json& to, const LiveFlight& flight);
void from_json(const json& from, LiveFlight& flight);
void to_json(json& to, const LiveBest& best);
void from_json(const json& from, LiveBest& best);
void to_json(json& to, const LiveEnd& end);
void from_json(const json& from, LiveEnd& end);
void to_json(json& to, const LiveChange& change);
void from_json(const json& from, LiveChange& change);
void to_json(json& to, const CampaignLive& live);
void from_json(const json& from, CampaignLive& live);

enum class Liveness {
  running,
  stale,  // its process was killed, or is not heard of any more: the row says what it did last
};

HARNESS_ENUM_TEXT(Liveness);

/// A campaign that has not ended, as a store has it.
struct LiveRow {
  CampaignLive live;
  std::string name;  // "": none
  std::string device, device_name;
  std::vector<std::string> kernels;
  Liveness state = Liveness::running;
  /// What has been spent by now; of a stale row, by when it was last heard of.
  double spent_s(double now_unix) const;
};

/// Port to the campaigns of a store that are under way: one row each. Each call is one transaction.
class LiveCampaigns {
 public:
  virtual ~LiveCampaigns() = default;
  /// Replaces the campaign's row. Throws Error(environment) where the store cannot be written.
  virtual void tell(const CampaignLive& live) = 0;
  /// The campaign has ended: it has no row any more.
  virtual void end(std::int64_t campaign) = 0;
  virtual std::vector<LiveRow> all() = 0;  // the newest campaign first
};

}  // namespace harness
