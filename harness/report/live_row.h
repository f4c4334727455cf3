#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "harness/core/campaign_live.h"
#include "harness/core/display.h"

namespace harness::report {

/// A campaign's events folded into what it does now. Plain values: no thread, no clock of its own.
class LiveFold {
 public:
  CampaignLive live;
  void started(const CampaignStarted& event, double now_unix);
  void begun(const EvaluationBegun& event, double now_unix);
  void phase(const EvaluationPhase& event, double now_unix);
  void iteration(const IterationEnded& event, double now_unix);
  void pivoted(const Pivoted& event, double now_unix);
  void progress(const Progress& event, double now_unix);
};

/// The reader of a campaign's events that keeps its row in a store (core/campaign_live.h), for other processes. It
/// writes from a thread of its own, over a connection of its own, so that no evaluation waits for it: at most once in
/// `period`, and once in `heartbeat` where nothing happens. A store that cannot be written ends the row, never the
/// campaign.
class LiveRowWriter : public Display {
 public:
  struct Pace {
    std::chrono::milliseconds period{500}, heartbeat{10'000};
  };
  /// `open`: is called in the writer's thread before it first writes.
  using Open = std::function<std::shared_ptr<LiveCampaigns>()>;
  explicit LiveRowWriter(Open open);
  LiveRowWriter(Open open, Pace pace);
  /// The row is removed; what has not been written is not needed any more.
  ~LiveRowWriter() override;
  LiveRowWriter(const LiveRowWriter&) = delete;
  LiveRowWriter& operator=(const LiveRowWriter&) = delete;

  void started(const CampaignStarted& event) override;
  void begun(const EvaluationBegun& event) override { change(&LiveFold::begun, event); }
  void phase(const EvaluationPhase& event) override { change(&LiveFold::phase, event); }
  void iteration(const IterationEnded& event) override { change(&LiveFold::iteration, event); }
  void pivoted(const Pivoted& event) override { change(&LiveFold::pivoted, event); }
  void progress(const Progress& event) override { change(&LiveFold::progress, event); }
  void finished(const CampaignSummary&) override { close(); }

 private:
  template <typename Event>
  void change(void (LiveFold::*fold)(const Event&, double now_unix), const Event& event) {
    {
      const std::lock_guard lock(mutex_);
      (fold_.*fold)(event, now_unix());
      changed_ = true;
    }
    wake_.notify_one();
  }
  static double now_unix();
  void write_rows(LiveCampaigns& rows);
  void work();
  void close();

  Open open_;
  Pace pace_;
  std::mutex mutex_;
  std::condition_variable wake_;
  LiveFold fold_;
  bool changed_ = false, over_ = false;
  std::thread thread_;
};

}  // namespace harness::report
