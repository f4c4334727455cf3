#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/core/ledger.h"

namespace harness {

/// What confirming a winner takes, in seconds. A confirmation starts fresh processes, times longer and runs memory
/// checks, so it takes several times what an evaluation takes, and how many times depends on the kernel.
class ConfirmationCosts {
 public:
  explicit ConfirmationCosts(bool emulation) : emulation_(emulation) {}

  /// What earlier campaigns on this device name have seen.
  void know(UsualSeconds usual) { usual_ = std::move(usual); }
  /// A confirmation of this campaign has ended.
  void add(const std::string& kernel, double seconds);
  /// The longest of this campaign, else what is usual, else a multiple of an evaluation. `evaluation_s`: of one that a
  /// search asks for now; `passed_s`: of one that meets all gates.
  double expect(const std::string& kernel, double evaluation_s, double passed_s) const;
  /// Nobody has confirmed a winner of the kernel on this device: what is expected may be far off.
  bool is_guess(const std::string& kernel) const;

 private:
  bool emulation_;
  UsualSeconds usual_;
  std::map<std::string, double> longest_;
};

/// Seconds that are kept for confirmations of `left_s`. `winners`: what each winner's takes, the most important first:
/// each is kept for that still fits, `winners_most_s` at most. `possible`: of workloads that may get a winner: at most
/// `share_s` is kept for them, with the winners.
double kept_for_confirmations(const std::vector<double>& winners, const std::vector<double>& possible, double left_s,
                              double winners_most_s, double share_s);

}  // namespace harness
