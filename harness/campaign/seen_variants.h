#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/ledger.h"

namespace harness {

/// A configuration and how it ended.
struct SeenConfig {
  Config config;
  std::string outcome;
  std::optional<double> speedup;
};

/// What is known of a variant on a workload: its fastest evaluation, else how it last ended.
struct SeenVariant {
  std::string kernel, workload;
  Candidate candidate;
  std::int64_t iteration = 0;
  std::string outcome, message, fingerprint;
  std::optional<double> time_ns, speedup;
  std::optional<std::int64_t> registers, spill_bytes, shared_bytes;
  std::vector<SeenConfig> configs = {};  // each once, the fastest first, those without a time last
};

/// "BLOCK=256: 1.41x, BLOCK=128: 1.2x, BLOCK=1024: crashed; 3 more"; "" where there is one alone.
std::string configs_text(const SeenVariant& seen);

/// For whoever proposes: what each variant did on each workload.
class SeenVariants {
 public:
  /// `message`: why it did not pass; its first line is kept.
  void note(const IterationSummary& iteration, const std::string& message);
  /// nullptr: it was not evaluated there.
  const SeenVariant* find(const std::string& kernel, const std::string& workload, const std::string& variant) const;
  /// In the order in which they were first evaluated.
  const std::vector<const SeenVariant*>& in_order() const { return in_order_; }

 private:
  std::map<std::string, SeenVariant> seen_;  // by kernel, workload and variant
  std::vector<const SeenVariant*> in_order_;
};

}  // namespace harness
