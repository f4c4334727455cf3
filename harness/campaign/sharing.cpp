#include <algorithm>
#include <iterator>

#include "harness/campaign/state.h"

// The searches of one technique share what they find: what is fastest on one workload is tried early on those like it.
// All of it is made from what was recorded before, so a search that is resumed or replayed is told the same.
namespace harness {
namespace {

// So many workloads are close enough for their best to be tried.
constexpr std::size_t kNearest = 2;

}  // namespace

std::vector<EarlierResult> CampaignState::fastest_elsewhere(const Arm& arm) {
  std::vector<EarlierResult> results;
  for (const Arm& other : arms_.arms) {
    if (other.state.id.kernel != arm.state.id.kernel || other.state.id.technique != arm.state.id.technique) continue;
    if (other.state.id.workload == arm.state.id.workload || !other.best) continue;
    const auto apart = distance(arm.state.id.kernel, arm.state.id.workload, other.state.id.workload);
    if (!apart) continue;
    results.push_back({other.state.id.workload, device_name, other.best->variant, other.best->config,
                       OutcomeKind::passed, other.state.best_ns, apart});
  }
  std::ranges::stable_sort(results, {}, &EarlierResult::distance);
  if (results.size() > kNearest) results.resize(kNearest);
  return results;
}

// When a workload begins: its searches have asked for nothing yet.
void CampaignState::tell_what_others_know(const WorkloadBook& book) {
  for (Arm& arm : arms_.arms) {
    if (arm.state.id.kernel != book.plan.kernel || arm.state.id.workload != book.plan.workload || arm.asks > 0)
      continue;
    std::vector<EarlierResult> news = news_from_others(arm);
    if (news.empty()) continue;
    news.insert(news.end(), arm.earlier.begin(), arm.earlier.end());
    arm.earlier = news;
    arm.search->know(std::move(news));
  }
}

std::vector<EarlierResult> CampaignState::news_from_others(Arm& arm) {
  std::vector<EarlierResult> news = fastest_elsewhere(arm);
  std::erase_if(news, [&](const EarlierResult& result) {
    const std::string best = result.variant + "\n" + to_text(result.config);
    std::string& config_told = arm.told_elsewhere[result.workload];
    if (config_told == best) return true;
    config_told = best;
    return false;
  });
  return news;
}

// The distance of a prediction is unknown: it is of this very workload, and it is no measurement.
void CampaignState::add_predicted(const PredictedStart& start) {
  constexpr std::size_t kTold = 3;  // a place to begin: a model ranks too roughly for more
  Arm* const arm = find_arm(arms_, start.arm);
  if (arm == nullptr || start.points.empty()) return;
  const std::string gpu = start.gpu + ", predicted";
  const bool begins = start.begins && arm->asks == 0 && arm->asked.empty();
  std::vector<EarlierResult> fastest;
  for (const PredictedPoint& point : start.points)
    fastest.push_back(
        {start.arm.workload, gpu, point.variant, point.config, OutcomeKind::passed, point.ns, std::nullopt});
  std::vector<EarlierResult>& results = begins ? arm->earlier : arm->predicted;  // with an earlier round's
  std::ranges::copy_if(results, std::back_inserter(fastest),
                       [&](const auto& result) { return result.device_name == gpu; });
  std::erase_if(results, [&](const auto& result) { return result.device_name == gpu; });
  std::ranges::stable_sort(fastest, {}, [](const EarlierResult& result) { return result.time_ns.value_or(0); });
  if (fastest.size() > kTold) fastest.resize(kTold);
  results.insert(results.end(), fastest.begin(), fastest.end());
  const double ns = start.points.front().ns;
  if (ns > 0) arm->state.predicted_ns = std::min(arm->state.predicted_ns.value_or(ns), ns);
  arm->state.predicted_points += static_cast<std::int64_t>(start.points.size());
  if (begins) arm->search->know(arm->earlier);
}

}  // namespace harness
