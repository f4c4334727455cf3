#include "harness/adopt/observe/draws.h"

#include <fmt/format.h>

#include <cmath>

#include "harness/adopt/observe/observed_launch.h"
#include "harness/adopt/observe/observing.h"
#include "harness/adopt/observe/points.h"
#include "harness/core/accuracy.h"
#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

using Bytes = std::vector<std::byte>;

/// A change that shows, in last bits of the coarsest type, and what a change is made to be.
constexpr double kVisible = 8, kWanted = 64;

double coarsest(const AdoptedKernel& kernel, const AdoptedParameter& parameter) {
  double bit = unit_roundoff(parameter.dtype);
  if (!parameter.type.empty())
    for (const Dtype dtype : kernel.dtypes) bit = std::max(bit, unit_roundoff(dtype));
  return bit;
}

class Draws : public Observing {
 public:
  explicit Draws(const Observing& observing) : Observing(observing), points_(points_of(kernel_, 2, 31)) {}

  void choose() {
    std::size_t broken = not_finite(run());
    for (AdoptedParameter& parameter : kernel_.parameters) {
      if (broken == 0) break;
      if (!is_drawn(parameter)) continue;
      parameter.positive = true;
      const std::size_t left = not_finite(run());
      parameter.positive = left < broken;
      if (!parameter.positive) continue;
      broken = left;
      parameter.evidence += "; drawn from 0 up: results are NaN where it is negative";
    }
    for (AdoptedParameter& parameter : kernel_.parameters)
      if (is_drawn(parameter) && parameter.role == "inout" && !parameter.atomic) show_change(parameter);
  }

 private:
  static bool is_drawn(const AdoptedParameter& parameter) {
    return parameter.kind == Param::pointer && is_floating(parameter.dtype) && parameter.role != "output" &&
           !parameter.zeroed;
  }

  std::vector<Observation> run() {
    std::vector<ObservedLaunch> launches;
    for (const Values& point : points_) {
      launches.push_back(launch_at(kernel_, subject_.entry, point, 0, false));
      for (Arena& arena : launches.back().arenas)
        for (const AdoptedParameter& parameter : kernel_.parameters)
          if (parameter.name == arena.name && is_drawn(parameter))
            arena.content = drawn_content(parameter, arena.content);
    }
    launches_ = launches;
    return look(launches);
  }

  std::size_t not_finite(const std::vector<Observation>& observed) const {
    std::size_t count = 0;
    for (const Observation& observation : observed)
      for (const AdoptedParameter& parameter : kernel_.parameters) {
        if (parameter.kind != Param::pointer || parameter.role == "input" || !is_floating(parameter.dtype)) continue;
        const auto arena = observation.arenas.find(parameter.name);
        if (arena == observation.arenas.end()) continue;
        const auto bytes = static_cast<std::size_t>(storage_bytes(parameter.dtype));
        for (std::size_t at = 0; at + bytes <= arena->second.after.size(); at += bytes)
          count += std::isfinite(load_as_double(parameter.dtype, arena->second.after.data() + at)) ? 0 : 1;
      }
    return count;
  }

  /// How large values are (root mean square), and by how much a launch changes the middle one: a few may change a lot,
  /// where something is divided by what is near zero.
  struct Change {
    double value = 0, change = 0;
  };

  Change change_of(const AdoptedParameter& parameter, const std::vector<Observation>& observed) const {
    double squares = 0;
    std::vector<double> changes;
    const auto bytes = static_cast<std::size_t>(storage_bytes(parameter.dtype));
    for (std::size_t i = 0; i < observed.size(); ++i) {
      const auto after = observed[i].arenas.find(parameter.name);
      for (const Arena& arena : launches_[i].arenas) {
        if (arena.name != parameter.name || !arena.content || after == observed[i].arenas.end()) continue;
        for (std::size_t at = 0; at + bytes <= std::min(after->second.after.size(), arena.content->size());
             at += bytes) {
          const double was = load_as_double(parameter.dtype, arena.content->data() + at),
                       is = load_as_double(parameter.dtype, after->second.after.data() + at);
          if (!std::isfinite(is)) continue;
          squares += was * was;
          changes.push_back(std::abs(is - was));
        }
      }
    }
    if (changes.empty()) return {};
    const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(changes.size() / 2);
    std::ranges::nth_element(changes, middle);
    return {std::sqrt(squares / static_cast<double>(changes.size())), *middle};
  }

  void show_change(AdoptedParameter& parameter) {
    const double bit = coarsest(kernel_, parameter);
    const Change first = change_of(parameter, run());
    if (first.value == 0 || first.change == 0 || first.change / first.value >= kVisible * bit) return;
    parameter.scale = std::exp2(std::round(std::log2(first.change / (first.value * kWanted * bit))));
    const Change second = change_of(parameter, run());
    if (second.value > 0 && second.change / second.value >= kVisible * bit) {
      parameter.evidence += fmt::format("; drawn small: a launch changes it by {:.2g} only", first.change);
      return;
    }
    parameter.scale = 1;
    seen_.notes.push_back(
        fmt::format("a launch changes '{}' by {:.2g} of its value, less than the last bits of its "
                    "type hold: a kernel that leaves it alone would pass",
                    parameter.name, first.change / first.value));
  }

  std::vector<Values> points_;
  std::vector<ObservedLaunch> launches_;
};

}  // namespace

std::shared_ptr<const Bytes> drawn_content(const AdoptedParameter& parameter,
                                           const std::shared_ptr<const Bytes>& content) {
  if (!content || !is_floating(parameter.dtype) || (!parameter.positive && parameter.scale == 1)) return content;
  auto changed = std::make_shared<Bytes>(*content);
  const auto bytes = static_cast<std::size_t>(storage_bytes(parameter.dtype));
  for (std::size_t at = 0; at + bytes <= changed->size(); at += bytes) {
    double value = load_as_double(parameter.dtype, changed->data() + at) * parameter.scale;
    if (parameter.positive) value = std::fabs(value);
    store_rounded(parameter.dtype, changed->data() + at, value);
  }
  return changed;
}

void choose_draws(AdoptedKernel& kernel, const Subject& subject, Observer& observer, Seen& seen) {
  const BuildResult built = observer.build(subject.build);
  if (const auto* artifact = std::get_if<Artifact>(&built))
    Draws({kernel, subject, observer, *artifact, seen}).choose();
}

}  // namespace harness::adopt
