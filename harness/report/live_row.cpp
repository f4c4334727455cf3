#include "harness/report/live_row.h"

#include <algorithm>

#include "harness/core/error.h"

namespace harness::report {
namespace {

LiveBest& best_of(CampaignLive& live, const std::string& kernel, const std::string& workload) {
  const auto at = std::ranges::find_if(
      live.best, [&](const LiveBest& best) { return best.kernel == kernel && best.workload == workload; });
  return at != live.best.end() ? *at : live.best.emplace_back(LiveBest{.kernel = kernel, .workload = workload});
}

}  // namespace

void LiveFold::started(const CampaignStarted& event, double now) {
  live.campaign = event.campaign;
  live.budget_s = event.record.budget_s;
  live.max_cost_usd = event.record.max_cost_usd;
  live.workloads = event.workloads;
  live.phase = "first";
  if (!event.ahead.empty()) live.doing = event.ahead.front().what;
  live.doing_unix = live.phase_unix = live.spent_unix = now;
}

void LiveFold::begun(const EvaluationBegun& event, double now) {
  const AttemptRecord& record = *event.record;
  live.flights.push_back({event.attempt, record.candidate.kernel, record.candidate.variant,
                          to_text(record.candidate.config), record.workload, std::string(name(record.purpose)),
                          record.node, now});
}

void LiveFold::phase(const EvaluationPhase& event, double now) {
  live.phase = event.name;
  live.phase_unix = now;
  live.phase_deadline_unix = event.deadline_s ? std::optional(now + *event.deadline_s) : std::nullopt;
}

void LiveFold::iteration(const IterationEnded& event, double now) {
  const Candidate& candidate = event.attempt.candidate;
  const Timing* const timing = timing_of(event.evaluation->outcome);
  std::erase_if(live.flights, [&](const LiveFlight& flight) { return flight.attempt == event.attempt_id; });
  live.last = LiveEnd{event.iteration,
                      candidate.kernel,
                      candidate.variant,
                      to_text(candidate.config),
                      event.attempt.workload,
                      std::string(outcome_name(event.evaluation->outcome)),
                      timing != nullptr ? std::optional(timing->time_ns) : std::nullopt};
  if (live.flights.empty()) {
    live.phase.clear();
    live.phase_deadline_unix.reset();
    live.doing = "deciding";
    live.phase_unix = live.doing_unix = now;
  }
  if (timing == nullptr || event.attempt.purpose == Purpose::rival || (!event.new_best && !event.confirmed)) return;
  LiveBest& best = best_of(live, candidate.kernel, event.attempt.workload);
  best.variant = candidate.variant;
  best.time_ns = timing->time_ns;
  best.speedup = timing->speedup.value_or(0);
  best.confirmed = event.confirmed;
}

void LiveFold::pivoted(const Pivoted& event, double /*now*/) {
  live.decision = LiveChange{event.to.kernel, event.to.workload, event.to.technique, event.why, event.closed};
}

void LiveFold::progress(const Progress& event, double now) {
  live.spent_s = event.spent_s;
  live.spent_unix = now;
  live.spent_usd = event.spent_usd;
  live.iterations = event.iterations;
  live.outcomes = event.outcomes;
  live.doing = event.doing;
  live.doing_unix = now;
  phase({event.phase, std::nullopt}, now);
}

LiveRowWriter::LiveRowWriter(Open open) : LiveRowWriter(std::move(open), Pace()) {}
LiveRowWriter::LiveRowWriter(Open open, Pace pace) : open_(std::move(open)), pace_(pace) {}

LiveRowWriter::~LiveRowWriter() {
  close();
}

/// The thread begins with the campaign: a run that is refused before writes nothing.
void LiveRowWriter::started(const CampaignStarted& event) {
  change(&LiveFold::started, event);
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
}

double LiveRowWriter::now_unix() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void LiveRowWriter::work() {
  try {
    const std::shared_ptr<LiveCampaigns> rows = open_();
    write_rows(*rows);
    rows->end(fold_.live.campaign);
  } catch (const Error&) {
    // The record is what counts: the campaign itself meets the same store, and says what is wrong with it.
  }
}

/// Until it is over. What has changed is written at once, what changes soon after together at the period's end.
void LiveRowWriter::write_rows(LiveCampaigns& rows) {
  std::unique_lock lock(mutex_);
  while (!over_) {
    CampaignLive live = fold_.live;
    changed_ = false;
    lock.unlock();
    live.told_unix = now_unix();
    rows.tell(live);
    lock.lock();
    wake_.wait_for(lock, pace_.period, [this] { return over_; });
    wake_.wait_for(lock, pace_.heartbeat - pace_.period, [this] { return over_ || changed_; });
  }
}

void LiveRowWriter::close() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

}  // namespace harness::report
