#pragma once
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "harness/core/display.h"
#include "harness/report/live_block.h"

namespace harness::report {

struct TerminalOptions {
  bool live = false, color = false, quiet = false;
  bool verbose = false;  // the reasons of decisions, whole
  /// What keeps this machine from its best now: "busy, load 14 on 2 cores"; "" nothing. Asked before and during.
  std::function<std::string()> complaint = {};
};

/// What a person sees: a live block on a terminal, a line for every new best and every pivot, and a table at the end.
/// Messages go to stderr, the table to stdout. Without a terminal there are plain lines only.
class TerminalDisplay : public Display {
 public:
  explicit TerminalDisplay(TerminalOptions options);
  void started(const CampaignStarted& event) override;
  void iteration(const IterationEnded& event) override;
  void proposed(const ProposalRecord& record) override;
  void pivoted(const Pivoted& event) override;
  void profiled(const Profiled& event) override;
  void progress(const Progress& event) override;
  void finished(const CampaignSummary& summary) override;
  /// "build", "gates", "timing": what the evaluation at work does now. From any thread.
  void phase(const EvaluationPhase& event) override;

 private:
  void rival(const IterationEnded& event);
  /// The first `strong` bytes stand out where there are colours.
  void say(const std::string& line, std::size_t strong = 0);
  void update_block(const IterationEnded& event);
  void note_machine();
  void note_reservations(const std::vector<GateResult>& gates);
  void note_clock(const Timing& timing);
  LiveState::Row& row(LiveState& state, const std::string& kernel, const std::string& workload);
  TerminalOptions options_;
  std::unique_ptr<LiveBlock> block_;  // while a campaign runs on a terminal
  std::string complained_;
  double fastest_mhz_ = 0;
  bool clock_noted_ = false, several_kernels_ = false;
  std::map<std::string, double> fastest_rival_ns_;  // by kernel and workload
  std::set<std::string> said_of_rivals_;            // what keeps them from running, once each
};

/// The closing table and sentences, as text that can be pasted anywhere.
std::string closing_text(const CampaignSummary& summary);

}  // namespace harness::report
