#include <algorithm>
#include <set>

#include "harness/core/error.h"
#include "harness/script/catalog/catalog_kernel.h"

// Points of a kernel's domain that differ in one size alone: what a row's answer must not follow from where it is the
// size of a batch.
namespace harness::script {
namespace {

constexpr std::size_t kFewPoints = 8;  // the other sizes are halved until so many are affordable

/// Where kernels change what they do: about powers of two, at the ends, and what is timed.
std::set<std::int64_t> telling_values(const FieldDomain& range, std::int64_t timed) {
  std::set<std::int64_t> values;
  const auto add = [&](std::int64_t value) {
    value = (value + range.step - 1) / range.step * range.step;
    if (value >= range.lo && value <= range.hi) values.insert(value);
  };
  add(range.lo);
  add(range.lo + 1);
  add(timed);
  for (std::int64_t power = 2; power <= std::int64_t{1} << 24; power *= 2)
    for (const std::int64_t beside : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}}) add(power + beside);
  return values;
}

}  // namespace

/// Ascending, up to the first that is not affordable; where the variant is not valid there is none.
std::vector<Realized> LoadedKernel::affordable_along(const Candidate& candidate, const Workload& base,
                                                     const DeviceInfo& device, const std::string& size,
                                                     const std::set<std::int64_t>& values) {
  const Affordable most = affordable(device, !device.emulation);
  std::vector<Realized> points;
  for (const std::int64_t value : values) {
    Workload point = base;
    point.values[size] = value;
    if (!manifest.allows(point)) continue;
    try {
      Realized realized =
          realize_on(variant(candidate.variant), candidate, unnamed(manifest.make_problem(point)), device);
      if (!fits(realized, most, device)) break;
      points.push_back(std::move(realized));
    } catch (const Error&) {  // the variant is not valid there, or the domain is wider than its arguments allow
    }
  }
  return points;
}

std::vector<Realized> LoadedKernel::along(const Candidate& candidate, const std::string& workload,
                                          const DeviceInfo& device, const std::string& size) {
  Workload base = manifest.workload(workload);
  const std::vector<std::string> sizes = manifest.sizes_of(base);
  if (std::ranges::find(sizes, size) == sizes.end()) return {};
  const std::set<std::int64_t> values =
      telling_values(manifest.range(size), std::get<std::int64_t>(base.values.at(size)));
  // Whether enough of them fit is seen at some of them, since the variant may not be valid at all; the others are made
  // once.
  const auto end = std::next(values.begin(), static_cast<std::ptrdiff_t>(std::min(kFewPoints, values.size())));
  const std::set<std::int64_t> seen(std::next(values.begin(), std::distance(values.begin(), end) / 2), end);
  constexpr int kHalvings = 40;
  for (int i = 0; i < kHalvings && affordable_along(candidate, base, device, size, seen).empty(); ++i) {
    const Value kept = base.values.at(size);
    std::vector<Workload> halves = manifest.halved(base);
    std::erase_if(halves, [&](const Workload& half) { return half.values.at(size) != kept; });
    if (halves.empty()) break;
    base = std::move(halves.front());
  }
  return affordable_along(candidate, base, device, size, values);
}

}  // namespace harness::script
