#include "harness/campaign/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>

#include "harness/campaign/store_failure.h"
#include "harness/core/error.h"
#include "harness/core/printable.h"

namespace harness {
namespace {

// Configurations of an arm, and of all arms together, that are predicted at most; of these so many in a first round,
// which says how the arms compare before any has a second.
constexpr std::size_t kEach = 12, kAll = 96, kFirst = 3;

using Point = std::pair<std::string, Config>;  // a variant and its configuration

/// Some author, or some earlier result, says where to begin.
bool knows_where_to_begin(const Arm& arm) {
  const auto is_measured = [](const EarlierResult& result) { return result.distance.has_value(); };
  return std::ranges::any_of(arm.earlier, is_measured) ||
         std::ranges::any_of(arm.space.variants, [](const auto& variant) { return variant.second.authored; });
}

/// What its own search would try early: where each variant begins, its author's other starts, and the fastest on the
/// workload most like this one.
std::vector<Point> likely_points(const Arm& arm) {
  std::vector<Point> likely;
  for (const auto& [variant, points] : arm.space.variants)
    if (!points.points.empty()) likely.emplace_back(variant, configuration(points, points.start));
  for (const auto& [variant, points] : arm.space.variants)
    for (const std::size_t start : points.later_starts) likely.emplace_back(variant, configuration(points, start));
  const EarlierResult* nearest = nullptr;
  for (const EarlierResult& result : arm.earlier) {
    if (!result.time_ns || result.outcome != OutcomeKind::passed || !result.distance) continue;
    const bool nearer = nearest == nullptr || *result.distance < *nearest->distance;
    if (nearer || (*result.distance == *nearest->distance && *result.time_ns < *nearest->time_ns)) nearest = &result;
  }
  if (nearest != nullptr) likely.emplace_back(nearest->variant, nearest->config);
  return likely;
}

/// Those first that their authors expect most of on their workload, a workload after the other: time may end before all
/// are counted, and what is slow takes longest to count.
void sort_by_promise(std::vector<const Arm*>& arms) {
  const auto rank = [&](const Arm* arm) {
    return std::ranges::count_if(arms, [&](const Arm* other) {
      return other->state.id.kernel == arm->state.id.kernel && other->state.id.workload == arm->state.id.workload &&
             other->state.prior.speedup_hi > arm->state.prior.speedup_hi;
    });
  };
  std::vector<std::pair<std::ptrdiff_t, const Arm*>> ranked;
  for (const Arm* arm : arms) ranked.emplace_back(rank(arm), arm);
  std::ranges::stable_sort(ranked, {}, &std::pair<std::ptrdiff_t, const Arm*>::first);
  for (std::size_t i = 0; i < arms.size(); ++i) arms[i] = ranked[i].second;
}

/// Different points of the arm's variants, each as likely as any other, the same for the same seed everywhere.
std::vector<Point> drawn(const ArmSpace& space, std::size_t most, std::uint64_t seed) {
  std::vector<std::pair<std::string, std::size_t>> all;
  for (const auto& [variant, points] : space.variants)
    for (std::size_t point = 0; point < points.points.size(); ++point) all.emplace_back(variant, point);
  std::mt19937_64 random(seed);
  std::vector<Point> points;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
    std::swap(all[i], all[i + random() % (all.size() - i)]);
    const auto variant = std::ranges::find(space.variants, all[i].first, [](const auto& entry) { return entry.first; });
    points.emplace_back(all[i].first, configuration(variant->second, all[i].second));
  }
  return points;
}

}  // namespace

void Predictions::begin(bool resumed) {
  to_tell_ = context_.options.predicted;  // of a resumed or replayed campaign
  Predictor* const predictor = context_.ports.predictor;
  if (predictor == nullptr || context_.options.predict == "off" || resumed || context_.in_fleet()) return;
  std::vector<const Arm*> arms;
  for (const Arm& arm : context_.state.arms().arms)
    if (arm.state.earlier_evaluations == 0 && !arm.state.baseline) arms.push_back(&arm);
  sort_by_promise(arms);
  if (arms.size() > kAll) arms.resize(kAll);
  const std::size_t most = arms.empty() ? 0 : std::clamp(kAll / arms.size(), std::size_t{1}, kEach);
  std::int64_t number = 0;
  std::vector<std::vector<Realized>> later;
  for (const Arm* arm : arms) {
    std::vector<Realized> candidates = candidates_of(*arm, most, ++number);
    const std::size_t first = std::min(kFirst, candidates.size());
    later.emplace_back(std::make_move_iterator(candidates.begin() + static_cast<std::ptrdiff_t>(first)),
                       std::make_move_iterator(candidates.end()));
    candidates.resize(first);
    begin_ticket(*arm, std::move(candidates), number);
  }
  first_round_ = number;
  for (std::size_t i = 0; i < arms.size(); ++i) begin_ticket(*arms[i], std::move(later[i]), ++number);
  if (!under_way_.empty())
    context_.state.arms().notes.push_back(fmt::format(
        "{} {} never tried on {} here: up to {} of each are predicted for {} meanwhile (--predict off leaves that out)",
        counted(arms.size(), "arm"), arms.size() == 1 ? "was" : "were",
        arms.size() == 1 ? "its workload" : "their workloads", counted(most, "configuration"), predictor->gpu()));
}

// The likely ones first, then others by the seed; what cannot run where it would be counted is left out.
std::vector<Realized> Predictions::candidates_of(const Arm& arm, std::size_t most, std::int64_t number) const {
  const std::uint64_t seed = context_.options.seed * 1000003 + static_cast<std::uint64_t>(number);
  std::vector<Point> points = likely_points(arm);
  for (Point& point : drawn(arm.space, most, seed)) points.push_back(std::move(point));
  std::vector<Realized> candidates;
  std::set<std::string> configs_seen;
  for (const auto& [variant, config] : points) {
    if (candidates.size() == most) break;
    if (!configs_seen.insert(variant + "\n" + to_text(config)).second) continue;
    try {
      candidates.push_back(context_.ports.catalog.plugin(arm.state.id.kernel)
                               .realize({arm.state.id.kernel, variant, arm.state.id.technique, config},
                                        arm.state.id.workload, context_.ports.predictor->device()));
    } catch (const Error&) {
    }
  }
  return candidates;
}

void Predictions::begin_ticket(const Arm& arm, std::vector<Realized> candidates, std::int64_t ticket) {
  if (candidates.empty()) return;
  PredictedStart start{arm.state.id, context_.ports.predictor->gpu(), 0, false, {}};
  for (const Realized& candidate : candidates)
    start.points.push_back({candidate.candidate.variant, candidate.candidate.config, 0});
  under_way_[ticket] = std::move(start);
  context_.ports.predictor->begin(ticket, std::move(candidates));
}

// Where somebody says where to begin, its first configuration is compiled ahead and evaluated without waiting.
bool Predictions::awaits(const Arm& arm) const {
  if (knows_where_to_begin(arm)) return false;
  const auto is_of = [&](const PredictedStart& start) { return start.arm == arm.state.id; };
  return std::ranges::any_of(to_tell_, is_of) || std::ranges::any_of(under_way_, [&](const auto& ticket) {
           return ticket.first <= first_round_ && is_of(ticket.second);
         });
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
  if (points.empty()) return;
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
