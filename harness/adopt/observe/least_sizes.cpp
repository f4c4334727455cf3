#include "harness/adopt/observe/least_sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>

#include "harness/adopt/observe/observed_launch.h"
#include "harness/adopt/observe/points.h"
#include "harness/adopt/observe/reference_launch.h"
#include "harness/core/accuracy.h"
#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

/// Of one output, of which exact answers are known: how far its worst element lies off, in root mean squares of all.
double worst_of(const std::vector<std::byte>& got, Dtype stored, const std::vector<std::byte>& exact) {
  const auto bytes = static_cast<std::size_t>(storage_bytes(stored)),
             wide_bytes = static_cast<std::size_t>(storage_bytes(Dtype::f64));
  const std::size_t count = std::min(got.size() / bytes, exact.size() / wide_bytes);
  double worst = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double a = load_as_double(stored, got.data() + i * bytes),
                 b = load_as_double(Dtype::f64, exact.data() + i * wide_bytes);
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    worst = std::max(worst, std::abs(a - b));
    squares += b * b;
  }
  return worst == 0 ? 0 : worst / std::sqrt(squares / static_cast<double>(count));
}

class LeastSizes {
 public:
  LeastSizes(AdoptedKernel& kernel, const Subject& subject, Observer& observer, Artifact original, Artifact wide)
      : kernel_(kernel),
        subject_(subject),
        observer_(observer),
        original_(std::move(original)),
        wide_(std::move(wide)) {}

  std::string raise() {
    usual_ = worst(errors_at(points_of(kernel_, 4, 99)));
    const std::vector<Values> small = small_points(1);
    const std::vector<double> errors = errors_at(small);
    const double most = worst(errors);
    if (!shows(most)) return "";
    std::vector<Values> failing;
    for (std::size_t i = 0; i < small.size(); ++i)
      if (shows(errors[i])) failing.push_back(small[i]);
    for (std::int64_t least = 2; least <= kMostLeast; least *= 2)
      for (std::size_t i = kernel_.sizes.size(); i-- > 0;) {  // the last one is what is summed more often than not
        AdoptedSize& size = kernel_.sizes[i];
        const std::int64_t was = size.low, raised = (least + size.step - 1) / size.step * size.step;
        if (raised <= was || 2 * raised > size.high || !mends(failing, size.symbol, raised)) continue;
        size.low = 2 * raised;  // twice what was enough here: other draws cancel more
        if (!shows(worst(errors_at(small_points(least))))) {
          size.evidence += fmt::format(
              "; from {} on: with less its sums may cancel, where the original was off by {:.1g} of its results",
              size.low, most);
          return "";
        }
        size.low = was;
      }
    return fmt::format(
        "at its smallest sizes the original is off by {:.1g} of its results, most likely because sums of few elements "
        "cancel; where an honest variant is rejected at such a size, raise the least sizes in `domain`",
        most);
  }

 private:
  static constexpr std::int64_t kMostLeast = 32;

  bool shows(double error) const {
    constexpr double kOfRounding = 200, kOfUsual = 30;
    double bit = 0;
    for (const AdoptedParameter& parameter : kernel_.parameters)
      if (is_judged(parameter)) bit = std::max(bit, unit_roundoff(parameter.dtype));
    return error > std::max(kOfRounding * bit, kOfUsual * usual_);
  }

  static bool is_judged(const AdoptedParameter& parameter) {
    return parameter.kind == Param::pointer && parameter.role != "input" && is_floating(parameter.dtype);
  }

  /// Each size one of its smallest few values, and some beyond `least` where one of them is raised to that; but for one
  /// of them, which is larger: many results of few elements each. A sole size is small: few results.
  std::vector<Values> small_points(std::int64_t least) const {
    constexpr std::size_t kCount = 24;
    const auto few = static_cast<std::uint64_t>(1 + 2 * least);
    std::vector<Values> points;
    std::mt19937_64 random(3);
    for (int attempt = 0; attempt < 2000 && points.size() < kCount; ++attempt) {
      Values point;
      const std::size_t many = kernel_.sizes.size() == 1 ? 1 : random() % kernel_.sizes.size();
      for (std::size_t i = 0; i < kernel_.sizes.size(); ++i) {
        const AdoptedSize& size = kernel_.sizes[i];
        const auto beyond = static_cast<std::int64_t>(i == many ? 40 + random() % 40 : random() % few);
        point[size.symbol] = std::min(size.low + beyond * size.step, size.high / size.step * size.step);
      }
      if (conditions_hold(kernel_, point)) points.push_back(std::move(point));
    }
    return points;
  }

  static double worst(const std::vector<double>& errors) { return errors.empty() ? 0 : std::ranges::max(errors); }

  /// Where just this size is raised, is no error left at the points that had one?
  bool mends(std::vector<Values> failing, const std::string& symbol, std::int64_t raised) const {
    for (Values& point : failing) point[symbol] = std::max(point[symbol], raised);
    std::erase_if(failing, [&](const Values& point) { return !conditions_hold(kernel_, point); });
    return !failing.empty() && !shows(worst(errors_at(failing)));
  }

  std::vector<double> errors_at(const std::vector<Values>& points) const {
    std::vector<ObservedLaunch> launches, exact;
    for (const Values& point : points)
      for (const unsigned fill : {0U, 3U}) {
        launches.push_back(launch_at(kernel_, subject_.entry, point, fill, false));
        exact.push_back(reference_launch(kernel_, point, fill, false));
      }
    const std::vector<Observation> got = observer_.run(original_, launches), right = observer_.run(wide_, exact);
    std::vector<double> errors(points.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      for (const AdoptedParameter& parameter : kernel_.parameters)
        if (is_judged(parameter) && got[i].failure.empty() && right[i].failure.empty())
          errors[i / 2] = std::max(errors[i / 2], worst_of(got[i].arenas.at(parameter.name).after, parameter.dtype,
                                                           right[i].arenas.at(parameter.name).after));
    return errors;
  }

  AdoptedKernel& kernel_;
  const Subject& subject_;
  Observer& observer_;
  const Artifact original_, wide_;
  double usual_ = 0;
};

}  // namespace

std::string raise_least_sizes(AdoptedKernel& kernel, const Subject& subject, Observer& observer,
                              const std::string& reference) {
  if (kernel.sizes.empty()) return "";
  BuildSpec wide = subject.build;
  wide.source_name = "reference.cu";
  wide.source = reference;
  wide.entries.clear();
  for (std::size_t i = 0; i <= kernel.further.size(); ++i) wide.entries.push_back(reference_entry(i));
  const BuildResult built = observer.build(subject.build), built_wide = observer.build(std::move(wide));
  const auto *const artifact = std::get_if<Artifact>(&built), *const wide_artifact = std::get_if<Artifact>(&built_wide);
  if (artifact == nullptr || wide_artifact == nullptr) return "";
  return LeastSizes(kernel, subject, observer, *artifact, *wide_artifact).raise();
}

}  // namespace harness::adopt
