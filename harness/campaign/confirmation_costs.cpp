#include "harness/campaign/confirmation_costs.h"

#include <algorithm>

namespace harness {
namespace {

// Its own timing is longer, and from fresh processes.
constexpr double kEvaluations = 2;
// And what further shapes, memory checks and the search of comparisons take, before one was measured: 7 to 12 s on an
// H200. On the cpu device instrumented builds are compiled for them.
constexpr double kFinalGatesGpu = 8, kFinalGatesEmulated = 6;

}  // namespace

void ConfirmationCosts::add(const std::string& kernel, double seconds) {
  double& longest = longest_[kernel];
  longest = std::max(longest, seconds);
}

// Other programs on the machine slow both kinds: what is usual is scaled by what evaluations take now.
double ConfirmationCosts::expect(const std::string& kernel, double evaluation_s, double passed_s) const {
  // Cheap evaluations are no sign of cheap confirmations, and a few slow ones of no four times slower machine.
  constexpr double kLeastScale = 1, kMostScale = 4;
  if (const auto own = longest_.find(kernel); own != longest_.end()) return own->second;
  const auto usual = usual_.evaluations.find({kernel, Purpose::confirm});
  if (usual == usual_.evaluations.end())
    return kEvaluations * passed_s + (emulation_ ? kFinalGatesEmulated : kFinalGatesGpu);
  const auto search = usual_.evaluations.find({kernel, Purpose::search});
  const bool has_search = search != usual_.evaluations.end() && search->second > 0;
  return usual->second * (has_search ? std::clamp(evaluation_s / search->second, kLeastScale, kMostScale) : 1);
}

bool ConfirmationCosts::is_guess(const std::string& kernel) const {
  return !longest_.contains(kernel) && !usual_.evaluations.contains({kernel, Purpose::confirm});
}

double kept_for_confirmations(const std::vector<double>& winners, const std::vector<double>& possible, double left_s,
                              double winners_most_s, double share_s) {
  double reserve = 0;
  for (const double seconds : winners)
    if (reserve + seconds <= left_s) reserve = std::min(reserve + seconds, winners_most_s);
  for (const double seconds : possible)
    if (reserve + seconds <= std::min(left_s, share_s)) reserve += seconds;
  return reserve;
}

}  // namespace harness
