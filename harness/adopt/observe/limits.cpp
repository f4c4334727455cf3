#include "harness/adopt/observe/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "harness/adopt/observe/observed_launch.h"
#include "harness/adopt/observe/points.h"

namespace harness::adopt {
namespace {

/// What a kernel itself says of how far a size goes: launches at small sizes but for one, far up. What takes too long
/// to run here, counted in threads and in turns of loops, says nothing of the kernel.
class Limits {
 public:
  explicit Limits(Attempt& attempt) : kernel_(attempt.kernel()), attempt_(attempt) {}

  void find() {
    for (AdoptedSize& size : kernel_.sizes) find_limit(size);
  }

  static constexpr double kDeadline_s = 20;  // far beyond what a brief launch takes, also on a busy machine

  static bool is_brief(const AdoptedKernel& kernel, const Values& point) {
    const KernelPoint at = point_of(kernel, point);
    return at.threads <= kMostThreads && at.turns <= kMostTurns;
  }

 private:
  static constexpr std::int64_t kHighest = 4096, kLowest = 64;
  static constexpr double kMostThreads = 1 << 18, kMostTurns = 1 << 24;
  static constexpr int kMostEndless = 2;  // launches of a size that did not end

  void find_limit(AdoptedSize& size) {
    int endless = 0;
    bool failed = false;
    for (std::int64_t top = kHighest; top >= std::max(kLowest, size.step) && endless < kMostEndless; top /= 2) {
      if (top > size.high || !is_short(size, top)) continue;
      const std::optional<bool> holds = attempt_.holds_within(points_at(size, top), kDeadline_s);
      if (!holds) {
        ++endless;
        continue;
      }
      if (*holds && !failed) return;
      if (*holds) return limit(size, top, fmt::format("; {} works, {} does not", top, 2 * top));
      failed = true;
    }
    if (failed) limit_below(size);
  }

  /// Nothing from kLowest on works: the end lies below it, where some size works at all.
  void limit_below(AdoptedSize& size) {
    const std::int64_t least = std::max<std::int64_t>(size.step, 1);
    std::int64_t failing = std::max(least, kLowest);
    for (std::int64_t top = failing / 2; top >= least; failing = top, top /= 2) {
      const std::vector<Values> points = points_at(size, top);
      if (!points.empty() && attempt_.holds_within(points, kDeadline_s).value_or(false))
        return limit(size, top, fmt::format("; {} works, {} does not", top, failing));
    }
    limit(size, least, fmt::format("; {} does not work either", failing));
  }

  static void limit(AdoptedSize& size, std::int64_t high, const std::string& why) {
    size.high = high;
    size.limited = true;
    size.evidence += why;
  }

  bool is_short(const AdoptedSize& size, std::int64_t top) const {
    return std::ranges::all_of(points_at(size, top), [&](const Values& point) { return is_brief(kernel_, point); });
  }

  std::vector<Values> points_at(const AdoptedSize& size, std::int64_t top) const {
    std::vector<Values> points{far_up(size, top / size.step * size.step),
                               far_up(size, std::max(size.step, (top - 1) / size.step * size.step))};
    std::erase_if(points, [&](const Values& point) { return !conditions_hold(kernel_, point); });
    return points;
  }

  /// The others are small, but for those that a condition ties to it.
  Values far_up(const AdoptedSize& size, std::int64_t value) const {
    Values point = small_point(kernel_);
    point[size.symbol] = value;
    for (const Condition& condition : kernel_.conditions) {
      const std::set<std::string> tied = symbols_of(*condition.formula);
      if (!tied.contains(size.symbol) || evaluate(*condition.formula, point) != 0) continue;
      for (const std::string& name : tied)
        if (point.contains(name)) point[name] = value;
    }
    return point;
  }

  AdoptedKernel& kernel_;
  Attempt& attempt_;
};

}  // namespace

void find_limits(Attempt& attempt) {
  Limits(attempt).find();
}

void try_sizes_of_host(Attempt& attempt, Seen& seen) {
  const AdoptedKernel& kernel = attempt.kernel();
  Values point = small_point(kernel);
  std::string text;
  for (const AdoptedSize& size : kernel.sizes) {
    const std::int64_t value = !size.values.empty() ? size.values.front() : size.host.value_or(0);
    if (value < size.low || value > size.high || value % size.step != 0) continue;
    point[size.symbol] = value;
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", size.name, value);
  }
  constexpr double kMostElements = 1 << 24;
  if (text.empty() || !conditions_hold(kernel, point) || !Limits::is_brief(kernel, point)) return;
  if (point_of(kernel, point).elements > kMostElements) return;
  const std::string why = attempt.otherwise_at(point, Limits::kDeadline_s);
  if (why.empty()) return;
  seen.questions.push_back({"--arg \"NAME[SIZE,SIZE] TYPE\" of that array, or --size with other values",
                            fmt::format("at {}, which the host's program has, {}", text, why)});
}

}  // namespace harness::adopt
