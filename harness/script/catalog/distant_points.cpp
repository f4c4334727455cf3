#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include "harness/core/controls.h"
#include "harness/core/error.h"
#include "harness/script/catalog/catalog_kernel.h"
#include "harness/script/space/constraint.h"

// Points of a kernel's domain about, beyond and far from the timed size. What is right on small shapes alone passes
// nowhere else.
namespace harness::script {
namespace {

constexpr double kMiB = 1 << 20;

double tensor_bytes(const Problem& problem) {
  double bytes = 0;
  for (const Argument& a : problem.arguments)
    if (is_tensor(a.kind) && !a.absent) bytes += static_cast<double>(span_elements(a) * storage_bytes(a.dtype));
  return bytes;
}

constexpr int kTriesOfAPoint = 12;
constexpr std::int64_t kByte = 256;
constexpr int kDrawsOfTiny = 200;  // a `where` may refuse most of them

std::set<std::int64_t> values_of(const Workload& point, const std::vector<std::string>& sizes) {
  std::set<std::int64_t> values;
  for (const std::string& size : sizes) values.insert(std::get<std::int64_t>(point.values.at(size)));
  return values;
}

/// The same values of these sizes, the largest where the smallest was.
Config in_reverse(const Workload& point, const std::vector<std::string>& sizes) {
  const std::set<std::int64_t> values = values_of(point, sizes);
  Config turned;
  for (const std::string& size : sizes) {
    const auto rank = std::distance(values.begin(), values.find(std::get<std::int64_t>(point.values.at(size))));
    turned[size] = *std::next(values.rbegin(), rank);
  }
  return turned;
}

/// All of them, then all but one, then all but two: some sizes may come in one order only.
std::vector<std::vector<std::string>> most_of(const std::vector<std::string>& sizes) {
  std::vector<std::vector<std::string>> all{sizes};
  const auto without = [&](std::size_t i, std::size_t j) {
    std::vector<std::string> some;
    for (std::size_t k = 0; k < sizes.size(); ++k)
      if (k != i && k != j) some.push_back(sizes[k]);
    all.push_back(std::move(some));
  };
  for (std::size_t i = 0; i < sizes.size(); ++i) without(i, i);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::size_t j = i + 1; j < sizes.size(); ++j) without(i, j);
  return all;
}

/// All values of at most the first three flags.
std::vector<Config> choices_of(const std::vector<std::string>& flags) {
  std::vector<Config> choices{{}};
  for (const std::string& name : flags) {
    if (choices.size() == 8) break;
    std::vector<Config> doubled;
    for (const Config& choice : choices)
      for (const bool flag : {false, true}) {
        doubled.push_back(choice);
        doubled.back()[name] = flag;
      }
    choices = std::move(doubled);
  }
  return choices;
}

}  // namespace

/// An emulated device does some 1e8 operations a second in each of its reference and its candidate, and starts some 5e6
/// threads; a judge on the CPU looks at some 1e8 bytes a second.
Affordable affordable(const DeviceInfo& device, bool finalist) {
  if (device.emulation) return finalist ? Affordable{64 * kMiB, 5e8, 1 << 23} : Affordable{12 * kMiB, 2e7, 1 << 21};
  return finalist ? Affordable{256 * kMiB, 2e12, INT64_MAX} : Affordable{24 * kMiB, 5e9, INT64_MAX};
}

bool fits(const Realized& point, const Affordable& most, const DeviceInfo& device) {
  constexpr double kShareOfMemory = 16;
  const double bytes = tensor_bytes(point.problem);
  if (device.memory_bytes > 0 && bytes * kShareOfMemory > static_cast<double>(device.memory_bytes)) return false;
  return bytes <= most.bytes && amount_of(point.problem.work) <= most.operations &&
         launched_threads(point.plan) <= most.threads;
}

/// Only where the variant compiles to the same there: a neighbour runs the code that is timed.
std::optional<Realized> LoadedKernel::point_of_its_build(VariantManifest& chosen, const Realized& timed,
                                                         const Workload& point, const DeviceInfo& device) {
  try {
    Problem problem = manifest.make_problem(point);
    problem.workload.name.clear();
    for (const auto& [name, value] : point.values)
      problem.workload.name += (problem.workload.name.empty() ? "" : " ") + name + "=" + to_text(value);
    problem.reference.golden.clear();
    Realized realized = realize_on(chosen, timed.candidate, std::move(problem), device);
    if (of_one_text(realized.build, timed.build)) return realized;
  } catch (const Error&) {  // the variant is not valid there, or the domain is wider than its arguments allow
  }
  return std::nullopt;
}

/// The flags and listed numbers, such as a width that is a template argument, that no neighbour may have otherwise:
/// with any other value the variant compiles to something else, or is not valid.
std::set<std::string> LoadedKernel::fields_of_build(VariantManifest& chosen, const Realized& timed,
                                                    const DeviceInfo& device) {
  std::set<std::string> fields;
  for (const auto& [name, points] : manifest.with_other_values(timed.problem.workload)) {
    const bool free = std::ranges::any_of(
        points, [&](const Workload& point) { return point_of_its_build(chosen, timed, point, device).has_value(); });
    if (!free) fields.insert(name);
  }
  return fields;
}

/// `point`, or with its other sizes halved, the largest first, until it is affordable: what lies beyond one timed size
/// need not lie at all the others.
std::optional<Realized> LoadedKernel::affordable_beyond(VariantManifest& chosen, const Realized& timed,
                                                        const std::string& size, Workload point,
                                                        const DeviceInfo& device, const Affordable& most) {
  constexpr int kHalvings = 24;
  const Value grown = point.values.at(size);
  for (int i = 0; i < kHalvings; ++i) {
    std::optional<Realized> realized = point_of_its_build(chosen, timed, point, device);
    if (realized && fits(*realized, most, device)) return realized;
    std::vector<Workload> halves = manifest.halved(point);
    std::erase_if(halves, [&](const Workload& half) { return half.values.at(size) != grown; });
    if (halves.empty()) return std::nullopt;
    point = std::move(halves.front());
  }
  return std::nullopt;
}

std::optional<Realized> LoadedKernel::tiny_at(const Candidate& candidate, const std::string& workload,
                                              const DeviceInfo& device, const Config& fixed, std::uint64_t seed) {
  VariantManifest& chosen = variant(candidate.variant);
  try {
    const Realized timed = realize(candidate, workload, device);
    const std::set<std::string> kept = fields_of_build(chosen, timed, device);
    const auto usable = [&](const Workload& point) {
      auto realized = point_of_its_build(chosen, timed, point, device);
      return realized && fits(*realized, affordable(device, false), device) ? std::move(realized) : std::nullopt;
    };
    if (const auto point = manifest.tiny_with(timed.problem.workload, fixed, seed, kept, kDrawsOfTiny))
      if (auto realized = usable(*point)) return realized;
    // It needs more of a size than a tiny point has.
    for (const std::int64_t largest : {40, 200, 1500}) {
      Workload point = manifest.random_neighbour(timed.problem.workload, seed += 1000003, largest, kept);
      for (const auto& [name, value] : fixed) point.values[name] = value;
      if (!manifest.allows(point)) continue;
      if (auto realized = usable(point)) return realized;
    }
    // It is valid at sizes that no draw meets: the timed ones, each made as small as it allows.
    Workload point = timed.problem.workload;
    for (const auto& [name, value] : fixed) point.values[name] = value;
    for (const std::string& size : manifest.sizes_of(point)) {
      const auto* const most = std::get_if<std::int64_t>(&point.values.at(size));
      if (most == nullptr || fixed.contains(size)) continue;
      for (const std::int64_t smaller : {std::int64_t{0}, *most / 16, *most / 4, *most / 2}) {
        Workload shrunk = point;
        const FieldDomain& range = manifest.range(size);
        shrunk.values[size] = std::max(range.lo, smaller / range.step * range.step);
        if (!manifest.allows(shrunk) || !point_of_its_build(chosen, timed, shrunk, device)) continue;
        point = std::move(shrunk);
        break;
      }
    }
    return manifest.allows(point) ? usable(point) : std::nullopt;
  } catch (const Error&) {  // it is not valid there
    return std::nullopt;
  }
}

double LoadedKernel::valid_share(const Candidate& candidate, const std::string& workload, const DeviceInfo& device,
                                 std::uint64_t seed) {
  constexpr int kPoints = 100;
  VariantManifest& chosen = variant(candidate.variant);
  std::vector<Value> values;
  for (const auto& [name, value] : without_controls(candidate.config)) values.push_back(value);
  int valid = 0;
  for (int i = 0; i < kPoints; ++i) {
    const Workload point = manifest.spread_neighbour(manifest.workload(workload), seed += 1000003);
    valid += Constraint(chosen, point, device).allows(values) ? 1 : 0;
  }
  return static_cast<double>(valid) / kPoints;
}

std::map<std::string, SizeRange> LoadedKernel::size_ranges(const std::string& workload) {
  std::map<std::string, SizeRange> ranges;
  for (const std::string& size : manifest.sizes_of(manifest.workload(workload)))
    ranges[size] = {manifest.range(size).lo, manifest.range(size).hi};
  return ranges;
}

/// Where what is rare comes together, at tiny points. At the least of every size, where loops that round down find
/// nothing and sums begin empty. Where a size, and what counts it, no longer fits into a byte. And for every choice of
/// flags two points, of which each two sizes come in one order in the one and in the other order in the other.
std::vector<Realized> LoadedKernel::edges(VariantManifest& chosen, const Realized& timed, const DeviceInfo& device,
                                          const std::set<std::string>& kept,
                                          const std::function<std::uint64_t()>& next) {
  const Workload& base = timed.problem.workload;
  const std::vector<std::string> sizes = manifest.sizes_of(base);
  std::vector<Realized> found;
  const auto tiny_with = [&](const Config& fixed, int tries) -> std::optional<Realized> {
    const auto point = manifest.tiny_with(base, fixed, next(), kept, tries);
    auto realized = point ? point_of_its_build(chosen, timed, *point, device) : std::nullopt;
    if (realized && !fits(*realized, affordable(device, false), device)) realized.reset();
    return realized;
  };
  const auto add = [&](const Config& fixed) {
    for (int attempt = 0; attempt < kTriesOfAPoint; ++attempt)
      if (auto point = tiny_with(fixed, kDrawsOfTiny)) return found.push_back(std::move(*point));
  };
  for (const std::string& size : sizes) {
    const std::int64_t least = manifest.least(size);
    add({{size, least}});
    if (least < kByte) add({{size, kByte + static_cast<std::int64_t>(next() % kByte)}});
  }
  for (const Config& flags : choices_of(manifest.flags_of(base))) {
    std::optional<Realized> best;
    std::size_t most = 0;
    for (int attempt = 0; attempt < kTriesOfAPoint; ++attempt) {
      auto point = tiny_with(flags, kDrawsOfTiny);
      if (!point || values_of(point->problem.workload, sizes).size() <= most) continue;
      most = values_of(point->problem.workload, sizes).size();
      best = std::move(point);
    }
    if (!best) continue;  // the flags are compiled in
    const Workload first = best->problem.workload;
    found.push_back(std::move(*best));
    for (const std::vector<std::string>& some : most_of(sizes)) {
      Config turned = flags;
      for (const std::string& size : sizes) turned[size] = first.values.at(size);
      for (const auto& [size, value] : in_reverse(first, some)) turned[size] = value;
      auto point = tiny_with(turned, 1);
      if (!point) continue;
      found.push_back(std::move(*point));
      break;
    }
  }
  return found;
}

std::vector<Realized> LoadedKernel::distant_points(const Candidate& candidate, const std::string& workload,
                                                   const DeviceInfo& device, bool finalist, std::uint64_t seed) {
  VariantManifest& chosen = variant(candidate.variant);
  const Realized timed = realize(candidate, workload, device);
  const Workload& base = timed.problem.workload;
  const Affordable most = affordable(device, finalist), little = affordable(device, false);
  const std::set<std::string> kept = fields_of_build(chosen, timed, device);
  std::uint64_t draw = seed;
  const auto next = [&draw] { return draw += 1000003; };
  std::vector<Realized> found;
  std::vector<std::string> sizes = manifest.sizes_of(base);
  std::shuffle(sizes.begin(), sizes.end(), std::mt19937_64(seed));
  const auto near = [&] {
    for (int attempt = 0; attempt < kTriesOfAPoint && !sizes.empty(); ++attempt) {
      const std::string& size = sizes[std::mt19937_64(next())() % sizes.size()];
      const auto point = manifest.near_neighbour(base, size, next(), false);
      auto realized = point ? point_of_its_build(chosen, timed, *point, device) : std::nullopt;
      if (realized && fits(*realized, most, device)) return found.push_back(std::move(*realized));
    }
  };
  const auto beyond = [&](const std::string& size, const Affordable& allowed) {
    for (int attempt = 0; attempt < kTriesOfAPoint; ++attempt) {
      const auto point = manifest.near_neighbour(base, size, next(), true);
      if (!point) return;
      auto realized = affordable_beyond(chosen, timed, size, *point, device, allowed);
      if (realized) return found.push_back(std::move(*realized));
    }
  };
  const auto spread = [&] {
    std::optional<Realized> best;
    for (int attempt = 0; attempt < kTriesOfAPoint; ++attempt) {
      auto realized = point_of_its_build(chosen, timed, manifest.spread_neighbour(base, next(), kept), device);
      // Of three that fit, the largest: the small ones are looked at elsewhere.
      if (realized && fits(*realized, most, device) &&
          (!best || amount_of(realized->problem.work) > amount_of(best->problem.work)))
        best = std::move(realized);
      if (attempt % 4 == 3 && best) break;
    }
    if (best) found.push_back(std::move(*best));
  };
  // With everything else small, a size goes as far as can be afforded.
  const auto alone_at = [&](const std::string& size, std::int64_t value, const Affordable& allowed) {
    const auto point = manifest.tiny_with(base, {{size, value}}, next(), kept, kDrawsOfTiny);
    auto realized = point ? point_of_its_build(chosen, timed, *point, device) : std::nullopt;
    const bool fit = realized && fits(*realized, allowed, device);
    if (fit) found.push_back(std::move(*realized));
    return fit;
  };
  const auto at_its_most = [&](const std::string& size, const Affordable& allowed) {
    const FieldDomain& range = manifest.range(size);
    for (std::int64_t value = range.hi / range.step * range.step; value > range.lo;
         value = value / 4 * 3 / range.step * range.step)
      if (alone_at(size, value, allowed)) return;
  };
  // Powers of two, and other multiples of a tile.
  const auto at_multiple = [&](const std::string& size, const Affordable& allowed) {
    const FieldDomain& range = manifest.range(size);
    for (int attempt = 0; attempt < kTriesOfAPoint; ++attempt) {
      std::mt19937_64 chance(next());
      const std::int64_t power = std::int64_t{1} << (5 + chance() % 20);
      const std::int64_t value = power * (attempt % 2 == 0 ? 1 : 1 + static_cast<std::int64_t>(chance() % 15));
      if (value >= range.lo && value <= range.hi && value % range.step == 0 && alone_at(size, value, allowed)) return;
    }
  };
  // No size smaller than the timed one's, one larger: a second timed size, which a winner on a GPU can afford.
  const auto whole = [&] {
    constexpr double kTimesTheTimed = 2.5;
    const Affordable roomy{std::max(most.bytes, kTimesTheTimed * tensor_bytes(timed.problem)),
                           std::max(most.operations, kTimesTheTimed * amount_of(timed.problem.work)), most.threads};
    for (const std::string& size : sizes) {
      for (int attempt = 0; attempt < kTriesOfAPoint; ++attempt) {
        const auto point = manifest.near_neighbour(base, size, next(), true);
        auto realized = point ? point_of_its_build(chosen, timed, *point, device) : std::nullopt;
        if (realized && fits(*realized, roomy, device)) return found.push_back(std::move(*realized));
      }
    }
  };
  if (!finalist) {
    const std::function<void()> kinds[] = {near,
                                           [&] {
                                             if (!sizes.empty()) beyond(sizes.front(), most);
                                           },
                                           spread,
                                           [&] {
                                             if (!sizes.empty()) at_its_most(sizes.front(), most);
                                           },
                                           [&] {
                                             if (!sizes.empty()) at_multiple(sizes.front(), most);
                                           }};
    for (std::size_t i = 0; i < 3; ++i) kinds[(seed / 7 + i) % std::size(kinds)]();
    return found;
  }
  // Beyond every size, two of them wherever that is affordable at all; which two, no candidate can know.
  for (std::size_t i = 0; i < sizes.size(); ++i) beyond(sizes[i], i < 2 ? most : little);
  for (const std::string& size : sizes) {
    at_its_most(size, device.emulation ? little : most);
    for (int i = 0; i < 2; ++i) at_multiple(size, little);
  }
  if (!device.emulation) whole();
  for (int i = 0; i < 2; ++i) near(), spread();
  for (Realized& point : edges(chosen, timed, device, kept, next)) found.push_back(std::move(point));
  const auto fills = [&](const Realized& point) {
    return fills_device_twice(point.plan, device.multiprocessors, device.emulation);
  };
  if (std::ranges::any_of(found, fills)) return found;
  for (int attempt = 0; attempt < 4 * kTriesOfAPoint; ++attempt) {
    auto realized = point_of_its_build(chosen, timed, manifest.spread_neighbour(base, next(), kept), device);
    if (!realized || !fits(*realized, most, device) || !fills(*realized)) continue;
    found.push_back(std::move(*realized));
    break;
  }
  return found;
}

}  // namespace harness::script
