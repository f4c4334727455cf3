#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "harness/campaign/loop.h"
#include "harness/campaign/store_failure.h"
#include "harness/core/error.h"
#include "harness/core/printable.h"

// Before anything is known of an arm, counting on the cpu device predicts some of its configurations: on cores that
// have nothing else to do while the GPU works. Nothing waits for it. An arm's search is told of the fastest once, as
// soon as all of its predictions are there: before it begins, or with its next result.
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

void Campaign::begin_predicting() {
  to_tell_ = options_.predicted;  // of a resumed or replayed campaign
  if (ports_.predictor == nullptr || options_.predict == "off" || resume_ || in_fleet()) return;
  std::vector<const Arm*> arms;
  for (const Arm& arm : state_.arms().arms)
    if (!knows_where_to_begin(arm) && points_of(arm.space) >= kLeast) arms.push_back(&arm);
  if (arms.size() > kAll / kLeast) arms.resize(kAll / kLeast);
  const std::size_t each = arms.empty() ? 0 : std::clamp(kAll / arms.size(), kLeast, kEach);
  std::uint64_t number = 0;
  for (const Arm* arm : arms) {
    PredictedStart start{arm->state.id, ports_.predictor->gpu(), 0, false, {}};
    std::vector<Realized> candidates;
    for (const auto& [variant, config] : drawn(arm->space, each, options_.seed * 1000003 + ++number)) {
      try {
        candidates.push_back(ports_.catalog.realize({start.arm.kernel, variant, start.arm.technique, config},
                                                    start.arm.workload, ports_.predictor->device()));
        start.points.push_back({variant, config, 0});
      } catch (const Error&) {  // it cannot run where it would be counted
      }
    }
    if (start.points.size() < kLeast) continue;
    const auto ticket = static_cast<std::int64_t>(number);
    predicting_[ticket] = std::move(start);
    ports_.predictor->begin(ticket, std::move(candidates));
  }
  if (!predicting_.empty())
    state_.arms().notes.push_back(fmt::format(
        "nothing is known of {}: up to {} configurations of each are predicted for {} meanwhile, and its search tries "
        "the fastest (--predict off leaves that out)",
        counted(predicting_.size(), "arm"), each, ports_.predictor->gpu()));
}

bool Campaign::awaits_prediction(const Arm& arm) const {
  const auto is_of = [&](const PredictedStart& start) { return start.arm == arm.state.id; };
  return std::ranges::any_of(to_tell_, is_of) ||
         std::ranges::any_of(predicting_, [&](const auto& each) { return is_of(each.second); });
}

// What the record says was known by now.
void Campaign::tell_recorded_predictions() {
  while (!to_tell_.empty() && to_tell_.front().after <= state_.iterations()) {
    state_.add_predicted(to_tell_.front());
    to_tell_.erase(to_tell_.begin());
  }
}

void Campaign::take_predictions() {
  tell_recorded_predictions();
  if (predicting_.empty()) return;
  while (const auto times = ports_.predictor->take()) {
    const auto asked = predicting_.find(times->ticket);
    if (asked == predicting_.end()) continue;
    PredictedStart start = std::move(asked->second);
    predicting_.erase(asked);
    std::vector<PredictedPoint> found;
    for (std::size_t i = 0; i < std::min(start.points.size(), times->ns.size()); ++i)
      if (times->ns[i]) found.push_back({start.points[i].variant, start.points[i].config, *times->ns[i]});
    if (found.size() < kLeast) continue;
    std::ranges::stable_sort(found, {}, &PredictedPoint::ns);
    start.points = std::move(found);
    start.after = state_.iterations();
    const Arm& arm = *find_arm(state_.arms(), start.arm);
    start.begins = arm.asks == 0 && arm.asked.empty() && arm.announced < 0;
    options_.predicted.push_back(start);
    stored([&] { ports_.ledger.keep_options(campaign_, options_); });
    state_.add_predicted(start);
  }
}

}  // namespace harness
