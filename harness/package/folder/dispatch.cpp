#include "harness/package/folder/dispatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "harness/package/resolved.h"

namespace harness::package {
namespace {

std::string identity(const Candidate& candidate) {
  return candidate_text(candidate);
}

/// The fastest run of a point that beats the original and is among `kept`; -1: none.
int best_run(const MeasuredPoint& point, const std::set<std::string>& configurations) {
  int best = -1;
  for (std::size_t i = 0; i < point.runs.size(); ++i) {
    const MeasuredRun& run = point.runs[i];
    if (!run.beats_original() || !configurations.contains(identity(run.candidate))) continue;
    if (best < 0 || run.time_ns < point.runs[static_cast<std::size_t>(best)].time_ns) best = static_cast<int>(i);
  }
  return best;
}

double time_of(const MeasuredPoint& point, int run) {
  return run < 0 ? point.original_ns : point.runs[static_cast<std::size_t>(run)].time_ns;
}

/// What is lost, in logarithms of times by weight, if a configuration goes.
double loss_without(const std::vector<MeasuredPoint>& points, const std::set<std::string>& configurations,
                    const std::string& gone) {
  std::set<std::string> rest = configurations;
  rest.erase(gone);
  double loss = 0;
  for (const MeasuredPoint& point : points) {
    const int now = best_run(point, configurations), then = best_run(point, rest);
    if (now != then) loss += point.workload.weight * std::log(time_of(point, then) / time_of(point, now));
  }
  return loss;
}

DispatchCut cut_of(const std::vector<MeasuredPoint>& points, const std::set<std::string>& configurations,
                   const std::string& gone) {
  std::set<std::string> rest = configurations;
  rest.erase(gone);
  DispatchCut cut;
  for (const MeasuredPoint& point : points) {
    const int now = best_run(point, configurations), then = best_run(point, rest);
    if (now == then) continue;
    cut.candidate = point.runs[static_cast<std::size_t>(now)].candidate;
    cut.costs.push_back(
        {point.workload.name,
         then < 0 ? "the original" : candidate_text(point.runs[static_cast<std::size_t>(then)].candidate),
         time_of(point, now), time_of(point, then)});
  }
  return cut;
}

/// Sizes in which two points differ, if these are equal to each other in both; nothing where no range lies between.
std::optional<std::vector<std::string>> axis_between(const Workload& a, const Workload& b,
                                                     const std::set<std::string>& compiled_in) {
  std::vector<std::string> axis;
  for (const auto& [name, value] : a.values) {
    const auto other = b.values.find(name);
    if (other == b.values.end()) return std::nullopt;
    if (same_value(value, other->second)) continue;
    const bool sizes =
        std::holds_alternative<std::int64_t>(value) && std::holds_alternative<std::int64_t>(other->second);
    if (!sizes || compiled_in.contains(name)) return std::nullopt;
    axis.push_back(name);
  }
  for (const std::string& name : axis)
    if (!same_value(a.values.at(name), a.values.at(axis[0])) || !same_value(b.values.at(name), b.values.at(axis[0])))
      return std::nullopt;
  return axis.empty() ? std::nullopt : std::optional(axis);
}

std::int64_t extent(const Workload& workload, const std::string& name) {
  return std::get<std::int64_t>(workload.values.at(name));
}

class DispatchMaker {
 public:
  DispatchMaker(const std::vector<MeasuredPoint>& points, const std::set<std::string>& compiled_in)
      : points_(points), compiled_in_(compiled_in) {}

  Dispatch make(std::size_t most, const TunedTable& table) {
    for (const MeasuredPoint& point : points_)
      for (const MeasuredRun& run : point.runs) kept_.insert(identity(run.candidate));
    drop_unused();
    while (most > 0 && kept_.size() > most) cut_cheapest();
    for (const MeasuredPoint& point : points_) made_.chosen.push_back(best_run(point, kept_));
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (made_.chosen[i] >= 0) at_point(i);
    for (const TunedCell& cell : table.cells) within(cell);
    if (!table.origin.is_null()) return std::move(made_);
    for (std::size_t i = 0; i < points_.size(); ++i)
      for (std::size_t j = 0; j < points_.size(); ++j)
        if (i != j) between(i, j);
    return std::move(made_);
  }

 private:
  void drop_unused() {
    std::set<std::string> used;
    for (const MeasuredPoint& point : points_)
      if (const int best = best_run(point, kept_); best >= 0)
        used.insert(identity(point.runs[static_cast<std::size_t>(best)].candidate));
    kept_ = used;
  }

  void cut_cheapest() {
    std::string cheapest;
    double least = 0;
    for (const std::string& configuration : kept_) {
      const double loss = loss_without(points_, kept_, configuration);
      if (cheapest.empty() || loss < least) {
        cheapest = configuration;
        least = loss;
      }
    }
    made_.cuts.push_back(cut_of(points_, kept_, cheapest));
    kept_.erase(cheapest);
  }

  const MeasuredRun& run(std::size_t point) const {
    return points_[point].runs[static_cast<std::size_t>(made_.chosen[point])];
  }

  std::size_t winner(const Candidate& candidate) {
    for (std::size_t i = 0; i < made_.winners.size(); ++i)
      if (identity(made_.winners[i].candidate) == identity(candidate)) return i;
    made_.winners.push_back({candidate, false});
    return made_.winners.size() - 1;
  }

  static std::vector<Condition> conditions_of(const Workload& workload, const std::vector<std::string>& without) {
    std::vector<Condition> all;
    for (const auto& [name, value] : workload.values)
      if (std::ranges::find(without, name) == without.end()) all.push_back({{name}, value, value});
    return all;
  }

  void at_point(std::size_t i) {
    const MeasuredPoint& point = points_[i];
    made_.rules.push_back({point.device, winner(run(i).candidate), conditions_of(point.workload, {}),
                           fmt::format("{}: {:.2f} us, the original {:.2f} us", point.workload.name,
                                       run(i).time_ns / 1e3, point.original_ns / 1e3)});
  }

  /// From point i up to point j, if nothing else was measured between them.
  void between(std::size_t i, std::size_t j) {
    if (made_.chosen[i] < 0 || made_.chosen[j] < 0 || points_[i].device != points_[j].device) return;
    if (identity(run(i).candidate) != identity(run(j).candidate)) return;
    const Workload &low = points_[i].workload, &high = points_[j].workload;
    const auto axis = axis_between(low, high, compiled_in_);
    if (!axis || extent(low, (*axis)[0]) >= extent(high, (*axis)[0])) return;
    for (const MeasuredPoint& other : points_)
      if (other.device == points_[i].device && lies_between(other.workload, low, high, *axis)) return;
    DispatchRule rule{points_[i].device, winner(run(i).candidate), conditions_of(low, *axis),
                      fmt::format("between {} and {}, where it was measured to be the fastest", low.name, high.name)};
    rule.conditions.push_back({*axis, low.values.at((*axis)[0]), high.values.at((*axis)[0])});
    made_.rules.push_back(std::move(rule));
  }

  /// A cell of a tuned table, unless nothing that is packaged runs there.
  void within(const TunedCell& cell) {
    const auto won = std::ranges::find_if(made_.winners, [&](const LauncherConfiguration& configuration) {
      return identity(configuration.candidate) == identity(cell.candidate);
    });
    if (won == made_.winners.end()) {
      made_.cells_left_out.push_back(
          fmt::format("around {} the original runs: {} won no measured point that is packaged", cell.at.name,
                      identity(cell.candidate)));
      return;
    }
    std::vector<std::string> axes;
    DispatchRule rule{cell.device, static_cast<std::size_t>(won - made_.winners.begin()), {}, {}};
    for (const TunedCell::Range& range : cell.ranges) {
      const auto is_compiled_in = [&](const std::string& size) { return compiled_in_.contains(size); };
      if (range.lo != range.hi && std::ranges::any_of(range.sizes, is_compiled_in)) {
        made_.cells_left_out.push_back(
            fmt::format("around {} the original runs: '{}' is compiled in", cell.at.name, range.sizes.front()));
        return;
      }
      axes.insert(axes.end(), range.sizes.begin(), range.sizes.end());
    }
    rule.conditions = conditions_of(cell.at, axes);
    for (const TunedCell::Range& range : cell.ranges) rule.conditions.push_back({range.sizes, range.lo, range.hi});
    rule.why = fmt::format("around {}, by the tuned table", cell.at.name);
    made_.rules.push_back(std::move(rule));
  }

  static bool lies_between(const Workload& point, const Workload& low, const Workload& high,
                           const std::vector<std::string>& axis) {
    for (const auto& [name, value] : low.values) {
      const auto entry = point.values.find(name);
      if (entry == point.values.end()) return false;
      if (std::ranges::find(axis, name) == axis.end()) {
        if (!same_value(entry->second, value)) return false;
      } else if (!std::holds_alternative<std::int64_t>(entry->second) ||
                 !same_value(entry->second, point.values.at(axis[0])) || extent(point, name) <= extent(low, name) ||
                 extent(point, name) >= extent(high, name)) {
        return false;
      }
    }
    return true;
  }

  const std::vector<MeasuredPoint>& points_;
  const std::set<std::string>& compiled_in_;
  std::set<std::string> kept_;
  Dispatch made_;
};

}  // namespace

Dispatch make_dispatch(const std::vector<MeasuredPoint>& points, std::size_t most,
                       const std::set<std::string>& compiled_in, const TunedTable& table) {
  return DispatchMaker(points, compiled_in).make(most, table);
}

}  // namespace harness::package
