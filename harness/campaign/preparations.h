#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/campaign/context.h"
#include "harness/campaign/predictions.h"

namespace harness {

/// What compilers make ahead, while devices and gates are at work. It decides nothing: what was made in vain is only
/// not used.
class Preparations {
 public:
  Preparations(CampaignContext& context, const Predictions& predictions)
      : context_(context), predictions_(predictions) {}

  /// While gates are tried, compilers have nothing else to do: baselines, and what searches will ask for first.
  void begin_campaign();
  /// While a baseline is measured: what the searches of its workload will probably ask for first.
  void begin_workload(const WorkloadBook& book);
  /// While an ask of the arm is evaluated: what its search announces, and the next ask of every other arm. A pivot
  /// should not wait for a compiler.
  void follow(const Arm& arm, const SearchAsk& ask);

 private:
  bool learns_from_others(const Arm& arm) const;
  std::optional<Realized> likely_first(const Arm& arm) const;
  void add_next_asks(std::vector<Realized>& next);
  Realized realize_of(const ArmId& id, const std::string& variant, const Config& config) const;

  CampaignContext& context_;
  const Predictions& predictions_;
  std::set<std::string> hinted_;  // what searches have announced: each is prepared once
};

}  // namespace harness
