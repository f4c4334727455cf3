#include "harness/campaign/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "harness/campaign/store_failure.h"
#include "harness/core/error.h"
#include "harness/core/printable.h"

namespace harness {
namespace {

// Configurations of an arm, and of all arms together, that are predicted at most; fewer than the last are no choice.
constexpr std::size_t kEach = 12, kAll = 96, kLeast = 4;

std::size_t points_of(const ArmSpace& space) {
  std::size_t count = 0;
  for (const auto& [variant, points] : space.variants) count += points.points.size();
  return count;
}

/// Some author, or some earlier result, says where to begin.
bool knows_where_to_begin(const Arm& arm) {
  return !arm.earlier.empty() || arm.state.earlier_evaluations > 0 ||
         std::ranges::any_of(arm.space.variants, [](const auto& variant) { return variant.second.authored; });
}

/// Different points of the arm's variants, each as likely as any other, the same for the same seed everywhere.
std::vector<std::pair<std::string, Config>> drawn(const ArmSpace& space, std::size_t most, std::uint64_t seed) {
  std::vector<std::pair<std::string, std::size_t>> all;
  for (const auto& [variant, points] : space.variants)
    for (std::size_t point = 0; point < points.points.size(); ++point) all.emplace_back(variant, point);
  std::mt19937_64 random(seed);
  std::vector<std::pair<std::string, Config>> chosen;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
    std::swap(all[i], all[i + random() % (all.size() - i)]);
    const auto variant = std::ranges::find(space.variants, all[i].first, [](const auto& each) { return each.first; });
    chosen.emplace_back(all[i].first, configuration(variant->second, all[i].second));
  }
  return chosen;
}

}  // namespace

void Predictions::begin(bool resumed) {
  to_tell_ = context_.options.predicted;  // of a resumed or replayed campaign
  Predictor* const predictor = context_.ports.predictor;
  if (predictor == nullptr || context_.options.predict == "off" || resumed || context_.in_fleet()) return;
  std::vector<const Arm*> arms;
  for (const Arm& arm : context_.state.arms().arms)
    if (!knows_where_to_begin(arm) && points_of(arm.space) >= kLeast) arms.push_back(&arm);
  if (arms.size() > kAll / kLeast) arms.resize(kAll / kLeast);
  const std::size_t most = arms.empty() ? 0 : std::clamp(kAll / arms.size(), kLeast, kEach);
  std::int64_t number = 0;
  for (const Arm* arm : arms) begin_arm(*arm, most, ++number);
  if (!under_way_.empty())
    context_.state.arms().notes.push_back(fmt::format(
        "nothing is known of {}: up to {} configurations of each are predicted for {} meanwhile, and its search tries "
        "the fastest (--predict off leaves that out)",
        counted(under_way_.size(), "arm"), most, predictor->gpu()));
}

void Predictions::begin_arm(const Arm& arm, std::size_t most, std::int64_t ticket) {
  Predictor& predictor = *context_.ports.predictor;
  PredictedStart start{arm.state.id, predictor.gpu(), 0, false, {}};
  std::vector<Realized> candidates;
  const std::uint64_t seed = context_.options.seed * 1000003 + static_cast<std::uint64_t>(ticket);
  for (const auto& [variant, config] : drawn(arm.space, most, seed)) {
    try {
      candidates.push_back(context_.ports.catalog.plugin(start.arm.kernel)
                               .realize({start.arm.kernel, variant, start.arm.technique, config}, start.arm.workload,
                                        predictor.device()));
      start.points.push_back({variant, config, 0});
    } catch (const Error&) {  // it cannot run where it would be counted
    }
  }
  if (start.points.size() < kLeast) return;
  under_way_[ticket] = std::move(start);
  predictor.begin(ticket, std::move(candidates));
}

bool Predictions::awaits(const Arm& arm) const {
  const auto is_of = [&](const PredictedStart& start) { return start.arm == arm.state.id; };
  return std::ranges::any_of(to_tell_, is_of) ||
         std::ranges::any_of(under_way_, [&](const auto& ticket) { return is_of(ticket.second); });
}

void Predictions::tell_recorded() {
  while (!to_tell_.empty() && to_tell_.front().after <= context_.state.iterations()) {
    context_.state.add_predicted(to_tell_.front());
    to_tell_.erase(to_tell_.begin());
  }
}

void Predictions::take() {
  tell_recorded();
  if (under_way_.empty()) return;
  while (const auto times = context_.ports.predictor->take()) take_times(*times);
}

void Predictions::take_times(const PredictedTimes& times) {
  const auto of = under_way_.find(times.ticket);
  if (of == under_way_.end()) return;
  PredictedStart start = std::move(of->second);
  under_way_.erase(of);
  std::vector<PredictedPoint> points;
  for (std::size_t i = 0; i < std::min(start.points.size(), times.ns.size()); ++i)
    if (times.ns[i]) points.push_back({start.points[i].variant, start.points[i].config, *times.ns[i]});
  if (points.size() < kLeast) return;
  std::ranges::stable_sort(points, {}, &PredictedPoint::ns);
  start.points = std::move(points);
  start.after = context_.state.iterations();
  const Arm& arm = *find_arm(context_.state.arms(), start.arm);
  start.begins = arm.asks == 0 && arm.asked.empty() && arm.announced < 0;
  context_.options.predicted.push_back(start);
  stored([&] { context_.ports.ledger.keep_options(context_.campaign, context_.options); });
  context_.state.add_predicted(start);
}

}  // namespace harness
