#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/evaluator.h"
#include "harness/core/ledger.h"

namespace harness {

/// The sources of a campaign of which a configuration failed a gate behind screening. The table of gates says what a
/// failure says of the source (SpoilsSource in core/gates.h):
///
/// - A source whose timed calls were wrong is refused in every configuration. A configuration decides how fast and
///   where a source is right, not whether timed calls do the work. One that was faster than the device can be is
///   refused so after the second time: a time is a measurement, and the first may have been a bad one.
/// - A source that was wrong at another size meets as many sizes as a finalist from then on. It is not refused: one
///   tile's tails are wrong where another's are right.
///
/// The same machine code is refused in any case, as no_effect (Ledger::same_binary).
class FailedSources {
 public:
  void add(const FailedGate& failed);
  std::optional<FailedBefore> refusal(const std::string& source_hash) const;
  bool was_wrong_elsewhere(const std::string& source_hash) const { return wrong_elsewhere_.contains(source_hash); }

 private:
  std::map<std::string, FailedBefore> refused_;
  std::map<std::string, FailedBefore> failed_once_;  // a gate that spoils a source the second time
  std::map<std::string, FailedBefore> wrong_elsewhere_;
};

/// What an evaluation that has just ended adds.
std::vector<FailedGate> failed_gates(std::int64_t iteration, const std::string& source_hash,
                                     const Evaluation& evaluation);

}  // namespace harness
