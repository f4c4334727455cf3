#include "harness/store/pattern_evidence.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "harness/store/statement.h"

namespace harness::store {
namespace {

// Older ones are no longer evidence of what the scripts do now, and every campaign asks at its start.
constexpr int kNewestCampaigns = 1000;

using WorkloadName = std::pair<std::string, std::string>;  // kernel, workload

struct RecordedCampaign {
  std::int64_t id = 0;
  std::string device_name;
  bool emulation = false;
};

struct DecidedRow {
  std::int64_t id = 0;
  Action action = Action::try_arm;
  std::string rule, why;
  ArmId arm;
  std::set<int> patterns;
};

struct EvaluatedRow {
  std::int64_t decision = 0;
  WorkloadName workload;
  Purpose purpose = Purpose::search;
  OutcomeKind outcome = OutcomeKind::passed;
  std::optional<double> time_ns;
  std::optional<Comparison> verdict;
  double wall_s = 0;
  std::optional<double> usd;
};

/// An application that has not ended.
struct OpenApplication {
  PatternApplication seen;
  bool on_arm = false;  // false: what is tried next belongs to it
  std::optional<double> before_ns;
};

/// Walks one campaign's decisions and evaluations in order.
class ApplicationReader {
 public:
  ApplicationReader(const RecordedCampaign& campaign, std::vector<PatternApplication>& found)
      : campaign_(campaign), found_(found) {}

  void decide(const DecidedRow& decision) {
    if (decision.action == Action::try_arm) settle_on(decision.arm);
    else if (decision.action != Action::close) end_where([](const OpenApplication& open) { return open.on_arm; });
    for (const int id : decision.patterns) begin(id, decision);
  }

  void evaluate(const EvaluatedRow& row) {
    for (OpenApplication& open : open_) {
      if (!open.on_arm) continue;
      count(open.seen, row);
      if (row.purpose == Purpose::baseline && is_timed(row.outcome)) open.before_ns = row.time_ns;
    }
    if (row.outcome != OutcomeKind::passed || !row.time_ns || row.purpose == Purpose::confirm) return;
    const auto known = best_.find(row.workload);
    const bool faster =
        row.verdict ? *row.verdict == Comparison::faster : known == best_.end() || *row.time_ns < known->second;
    if (known == best_.end() || faster) best_[row.workload] = *row.time_ns;
  }

  void finish() {
    end_where([](const OpenApplication&) { return true; });
  }

 private:
  void settle_on(const ArmId& arm) {
    end_where([&](const OpenApplication& open) {
      return open.on_arm && std::tie(open.seen.kernel, open.seen.workload, open.seen.technique) !=
                                std::tie(arm.kernel, arm.workload, arm.technique);
    });
    // A close in the midst of a sitting ends nothing: the page is being applied to this arm already.
    std::set<int> running;
    for (const OpenApplication& open : open_)
      if (open.on_arm) running.insert(open.seen.id);
    std::erase_if(open_, [&](const OpenApplication& open) { return !open.on_arm && running.contains(open.seen.id); });
    for (OpenApplication& open : open_)
      if (!open.on_arm) put_on(open, arm);
  }

  void put_on(OpenApplication& open, const ArmId& arm) const {
    open.on_arm = true;
    std::tie(open.seen.kernel, open.seen.workload, open.seen.technique) =
        std::tie(arm.kernel, arm.workload, arm.technique);
    const auto best = best_.find({arm.kernel, arm.workload});
    if (best != best_.end()) open.before_ns = best->second;
  }

  void begin(int id, const DecidedRow& decision) {
    const bool tries = decision.action == Action::try_arm;
    const bool running = std::ranges::any_of(
        open_, [&](const OpenApplication& open) { return open.seen.id == id && open.on_arm == tries; });
    if (running) return;
    OpenApplication open;
    open.seen.id = id;
    open.seen.campaign = campaign_.id;
    open.seen.decision = decision.id;
    open.seen.device_name = campaign_.device_name;
    open.seen.emulation = campaign_.emulation;
    open.seen.action = decision.action;
    open.seen.rule = decision.rule;
    open.seen.why = decision.why;
    open.seen.usd = 0.0;
    if (decision.action == Action::try_arm) put_on(open, decision.arm);
    open_.push_back(open);
  }

  static void count(PatternApplication& seen, const EvaluatedRow& row) {
    ++seen.evaluations;
    seen.passed += row.outcome == OutcomeKind::passed ? 1 : 0;
    seen.seconds += row.wall_s;
    if (seen.usd && row.usd) *seen.usd += *row.usd;
    else seen.usd.reset();
  }

  template <typename Condition>
  void end_where(Condition ends) {
    for (OpenApplication& open : open_) {
      if (!ends(open)) continue;
      const auto best = best_.find({open.seen.kernel, open.seen.workload});
      if (open.seen.evaluations > 0 && open.before_ns && best != best_.end())
        open.seen.gain = *open.before_ns / best->second;
      found_.push_back(open.seen);
    }
    open_.erase(std::remove_if(open_.begin(), open_.end(), ends), open_.end());
  }

  const RecordedCampaign& campaign_;
  std::vector<PatternApplication>& found_;
  std::vector<OpenApplication> open_;
  std::map<WorkloadName, double> best_;
};

DecidedRow decided_row(const Statement& query, const RulePatterns& rules) {
  DecidedRow row{query.integer(0),
                 named<Action>(query.text(1)),
                 query.text(2),
                 query.text(3),
                 {query.text(4), query.text(5), query.text(6)},
                 {}};
  if (const auto rule = rules.find(row.rule); rule != rules.end()) row.patterns.insert(rule->second);
  for (const json& id : query.parsed(7))
    if (id.is_number_integer()) row.patterns.insert(id.get<int>());
  return row;
}

EvaluatedRow evaluated_row(const Statement& query) {
  return {query.integer(0),
          {query.text(1), query.text(2)},
          named<Purpose>(query.text(3)),
          named<OutcomeKind>(query.text(4)),
          query.maybe_real(5),
          query.null(6) ? std::nullopt : std::optional(named<Comparison>(query.text(6))),
          query.real(7),
          query.maybe_real(8)};
}

void read_campaign(Store& store, const RulePatterns& rules, const RecordedCampaign& campaign,
                   std::vector<PatternApplication>& found) {
  Statement decisions(store.connection(),
                      "SELECT id, action, coalesce(rule, ''), why, kernel, workload, technique, patterns "
                      "FROM decision WHERE campaign = ? ORDER BY id",
                      campaign.id);
  Statement evaluations(
      store.connection(),
      "SELECT a.decision, i.kernel, i.workload, i.purpose, i.outcome, i.time_ns, i.verdict, i.wall_s, i.usd "
      "FROM iteration i JOIN attempt a ON a.id = i.attempt "
      "WHERE i.campaign = ? AND a.decision IS NOT NULL ORDER BY a.decision, i.id",
      campaign.id);
  ApplicationReader reader(campaign, found);
  bool more = evaluations.next();
  while (decisions.next()) {
    const DecidedRow decision = decided_row(decisions, rules);
    reader.decide(decision);
    for (; more && evaluations.integer(0) <= decision.id; more = evaluations.next())
      reader.evaluate(evaluated_row(evaluations));
  }
  reader.finish();
}

}  // namespace

std::vector<PatternApplication> pattern_applications(Store& store, const RulePatterns& rules,
                                                     std::optional<std::int64_t> before,
                                                     const std::optional<std::string>& device_name) {
  std::vector<RecordedCampaign> campaigns;
  Statement query(
      store.connection(),
      "SELECT id, device_name, coalesce(json_extract(facts, '$.device.emulation'), 0) FROM campaign p "
      "LEFT JOIN environment ON campaign = id WHERE (?1 IS NULL OR id < ?1) AND (?2 IS NULL OR device_name = "
      "?2) AND p.evidence = 1 AND EXISTS (SELECT 1 FROM decision d "
      "WHERE d.campaign = p.id AND (d.rule IS NOT NULL OR d.patterns <> '[]')) ORDER BY id DESC LIMIT ?3",
      before, device_name, kNewestCampaigns);
  while (query.next()) campaigns.push_back({query.integer(0), query.text(1), query.flag(2)});
  std::vector<PatternApplication> found;
  for (const RecordedCampaign& campaign : campaigns) read_campaign(store, rules, campaign, found);
  std::sort(found.begin(), found.end(), [](const PatternApplication& a, const PatternApplication& b) {
    return std::tie(a.campaign, a.decision, a.id) < std::tie(b.campaign, b.decision, b.id);
  });
  return found;
}

std::vector<PatternApplication> Store::pattern_applications(std::int64_t before_campaign,
                                                            const std::string& device_name) {
  return store::pattern_applications(*this, {}, before_campaign, device_name);
}

}  // namespace harness::store
