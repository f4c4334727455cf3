#pragma once
#include <map>
#include <set>
#include <string>

#include "harness/core/display.h"

namespace harness::report {

/// What a person sees: one live line on a terminal, a line for every new best and every pivot, and a table at the end.
/// Messages go to stderr, the table to stdout.
class TerminalDisplay : public Display {
 public:
  struct Options {
    bool live = false, color = false, quiet = false;
  };
  explicit TerminalDisplay(Options options) : options_(std::move(options)) {}
  void started(const CampaignStarted& event) override;
  void iteration(const IterationEnded& event) override;
  void pivoted(const Pivoted& event) override;
  void progress(const Progress& event) override;
  void finished(const CampaignSummary& summary) override;

 private:
  void rival(const IterationEnded& event);
  /// The first `strong` bytes stand out where there are colours.
  void say(const std::string& line, std::size_t strong = 0);
  void clear();
  Options options_;
  bool line_shown_ = false;
  std::map<std::string, double> fastest_rival_ns_;  // by kernel and workload
  std::set<std::string> said_of_rivals_;            // what keeps them from running, once each
};

/// The closing table and sentences, as text that can be pasted anywhere.
std::string closing_text(const CampaignSummary& summary);

}  // namespace harness::report
