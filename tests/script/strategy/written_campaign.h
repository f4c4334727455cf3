#pragma once
#include <string>
#include <vector>

#include "harness/core/strategy.h"

// A campaign that people wrote down (bench/seeds/campaign.json), as its rules would have seen it minute by minute.
namespace harness::tests {

/// A rule that had a reason while somebody worked, and when it first had it.
struct Firing {
  std::string iteration, rule;
  double minute = 0;   // of the sitting; 0: before it was begun
  double minutes = 0;  // of the whole sitting
};

/// Walks every sitting minute by minute and asks all rules of the strategy each time, with what was known then: the
/// minutes of this sitting and of all before it on the technique, what was predicted, what has passed. Nothing is
/// changed by a rule that fires: later sittings are walked as they were. The first firing of each rule in each sitting.
std::vector<Firing> fired_rules(const json& campaign, Strategy& strategy);

/// What the strategy chooses from the campaign's menu, each entry with the probability of its number of kernels.
Decision chosen_from_menu(const json& campaign, Strategy& strategy, double one_kernel, double several_kernels);

/// (successes + 1) / (attempts + 2), the rule of succession (Laplace), over what was tried before the menu was there.
double succession(const json& campaign, bool several_kernels);

}  // namespace harness::tests
