#include "harness/adopt/observe/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/adopt/observe/points.h"

namespace harness::adopt {
namespace {

class Limits {
 public:
  explicit Limits(Attempt& attempt) : kernel_(attempt.kernel()), attempt_(attempt) {}

  void find() {
    for (AdoptedSize& size : kernel_.sizes) {
      const auto begin = std::chrono::steady_clock::now();
      const bool holds = size.step > kSlow || holds_at(size, kSlow);
      const double took_s = seconds_since(begin);
      const bool slow = took_s > kSlow_s;
      if (slow && holds) upwards(size, took_s);
      else downwards(size, slow ? kSlow / 2 : kHighest);
    }
  }

 private:
  static constexpr std::int64_t kSlow = 256, kHighest = 4096;
  static constexpr double kLongestOfSize_s = 2, kSlow_s = kLongestOfSize_s * kSlow / kHighest;

  bool holds_at(const AdoptedSize& size, std::int64_t top) {
    std::vector<Values> points{far_up(size, top / size.step * size.step),
                               far_up(size, std::max(size.step, (top - 1) / size.step * size.step))};
    std::erase_if(points, [&](const Values& point) { return !conditions_hold(kernel_, point); });
    return points.empty() || attempt_.holds_at(points);
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

  void downwards(AdoptedSize& size, std::int64_t from) {
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t top = from; top >= std::max<std::int64_t>(64, size.step); top /= 2) {
      if (holds_at(size, top)) {
        if (top == kHighest) return beyond(size);
        size.high = top;
        size.evidence += fmt::format("; {} works, {} does not", top, 2 * top);
        return;
      }
      if (top == 64) size.high = std::max(size.step, std::int64_t{64});
      if (from < kHighest && seconds_since(begin) > kLongestOfSize_s) {
        size.high = std::max(size.low, 2 * size.step);
        size.evidence += fmt::format("; {} works, what is larger takes long to try", size.high);
        return;
      }
    }
  }

  /// A sole size counts the elements of whole arrays: a GPU is busy with millions. As far as an arena reaches.
  void beyond(AdoptedSize& size) {
    constexpr std::int64_t kUsual = 65536, kMost = 1 << 22;
    if (kernel_.sizes.size() != 1 || size.high != kUsual) return;
    double expected_s = 0;
    for (std::int64_t top = kUsual; top <= kMost && expected_s < kLongestOfSize_s; top *= 2) {
      const auto begin = std::chrono::steady_clock::now();
      size.high = top;
      if (!holds_at(size, top)) {
        size.high = std::max(top / 2, kUsual);
        return;
      }
      expected_s = 2 * seconds_since(begin);
    }
  }

  /// `last_s`: what the first step took; each further one takes twice as long or more.
  void upwards(AdoptedSize& size, double last_s) {
    std::int64_t works = kSlow;
    for (std::int64_t top = 2 * kSlow; top <= kHighest; top *= 2) {
      const auto begin = std::chrono::steady_clock::now();
      if (2 * last_s > kLongestOfSize_s) {
        size.evidence += fmt::format("; {} works, what is larger takes long to try", works);
        break;
      }
      if (!holds_at(size, top)) {
        size.evidence += fmt::format("; {} works, {} does not", works, top);
        break;
      }
      works = top;
      last_s = seconds_since(begin);
    }
    if (works < kHighest) size.high = works;
  }

  AdoptedKernel& kernel_;
  Attempt& attempt_;
};

}  // namespace

void find_limits(Attempt& attempt) {
  Limits(attempt).find();
}

}  // namespace harness::adopt
