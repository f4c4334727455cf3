#include <algorithm>
#include <functional>
#include <random>

#include "harness/core/error.h"
#include "harness/script/catalog/catalog_kernel.h"

// Points of a kernel's domain about, beyond and far from the timed size. What is right on small shapes alone passes
// nowhere else.
namespace harness::script {
namespace {

constexpr double kMiB = 1 << 20;

/// An emulated device does some 1e8 operations a second in each of its reference and its candidate, and starts some 5e6
/// threads; a judge on the CPU looks at some 1e8 bytes a second.
Affordable affordable(const DeviceInfo& device, bool finalist) {
  if (device.emulation) return finalist ? Affordable{64 * kMiB, 5e8, 1 << 23} : Affordable{12 * kMiB, 2e7, 1 << 21};
  return finalist ? Affordable{256 * kMiB, 2e12, INT64_MAX} : Affordable{24 * kMiB, 5e9, INT64_MAX};
}

double tensor_bytes(const Problem& problem) {
  double bytes = 0;
  for (const Argument& a : problem.arguments)
    if (is_tensor(a.kind) && !a.absent) bytes += static_cast<double>(span_elements(a) * storage_bytes(a.dtype));
  return bytes;
}

bool fits(const Realized& point, const Affordable& most, const DeviceInfo& device) {
  constexpr double kShareOfMemory = 16;
  const double bytes = tensor_bytes(point.problem);
  if (device.memory_bytes > 0 && bytes * kShareOfMemory > static_cast<double>(device.memory_bytes)) return false;
  return bytes <= most.bytes && amount_of(point.problem.work) <= most.operations &&
         launched_threads(point.plan) <= most.threads;
}

constexpr int kTriesOfAPoint = 12;

}  // namespace

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
    if (json_text(realized.build) == json_text(timed.build)) return realized;
  } catch (const Error&) {  // the variant is not valid there, or the domain is wider than its arguments allow
  }
  return std::nullopt;
}

/// The listed numbers, such as a width that is a template argument, that no neighbour may have otherwise: with any
/// other value the variant compiles to something else, or is not valid.
std::set<std::string> LoadedKernel::fields_of_build(VariantManifest& chosen, const Realized& timed,
                                                    const DeviceInfo& device) {
  std::set<std::string> fields;
  for (const auto& [name, points] : manifest.with_other_numbers(timed.problem.workload)) {
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
  if (!finalist) {
    const std::function<void()> kinds[] = {near,
                                           [&] {
                                             if (!sizes.empty()) beyond(sizes.front(), most);
                                           },
                                           spread};
    for (std::size_t i = 0; i < 2; ++i) kinds[(seed / 7 + i) % std::size(kinds)]();
    return found;
  }
  // Beyond every size, two of them wherever that is affordable at all; which two, no candidate can know.
  for (std::size_t i = 0; i < sizes.size(); ++i) beyond(sizes[i], i < 2 ? most : little);
  for (int i = 0; i < 2; ++i) near(), spread();
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
