#pragma once
#include <vector>

#include "harness/core/display.h"

namespace harness::report {

/// Several readers of one campaign's events, each told everything in this order. They outlive it.
class Readers : public Display {
 public:
  explicit Readers(std::vector<Display*> readers) : readers_(std::move(readers)) {}
  void started(const CampaignStarted& event) override { tell(&Display::started, event); }
  void begun(const EvaluationBegun& event) override { tell(&Display::begun, event); }
  void phase(const EvaluationPhase& event) override { tell(&Display::phase, event); }
  void iteration(const IterationEnded& event) override { tell(&Display::iteration, event); }
  void pivoted(const Pivoted& event) override { tell(&Display::pivoted, event); }
  void proposed(const ProposalRecord& record) override { tell(&Display::proposed, record); }
  void profiled(const Profiled& event) override { tell(&Display::profiled, event); }
  void progress(const Progress& event) override { tell(&Display::progress, event); }
  void finished(const CampaignSummary& summary) override { tell(&Display::finished, summary); }

 private:
  template <typename Event>
  void tell(void (Display::*call)(const Event&), const Event& event) {
    for (Display* reader : readers_) (reader->*call)(event);
  }

  std::vector<Display*> readers_;
};

}  // namespace harness::report
