#include "harness/adopt/observe/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "harness/adopt/observe/observed_launch.h"
#include "harness/adopt/observe/points.h"
#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

/// The multiples that the host asserts of a size alone: 128 of `width % 128 == 0`.
std::int64_t asserted_step(const AdoptedKernel& kernel, const AdoptedSize& size) {
  std::int64_t step = 1;
  for (const Condition& condition : kernel.conditions) {
    const Formula& formula = *condition.formula;
    if (formula.kind != Op::eq || formula.operands[0]->kind != Op::modulo) continue;
    const Formula &left = *formula.operands[0]->operands[0], &right = *formula.operands[0]->operands[1],
                  &zero = *formula.operands[1];
    const bool plain = left.kind == Op::symbol && left.symbol == size.symbol && right.kind == Op::number &&
                       right.number >= 1 && zero.kind == Op::number && zero.number == 0;
    if (plain) step = std::lcm(step, static_cast<std::int64_t>(right.number));
  }
  return step;
}

/// Steps of the sizes with which a kernel for another type runs well: multiples of those that it has. False: none.
bool find_steps(Attempt& attempt) {
  AdoptedKernel& kernel = attempt.kernel();
  const std::vector<AdoptedSize> sizes = kernel.sizes;
  for (const std::int64_t factor : {1, 2, 4, 8}) {  // lanes of vectors
    for (std::size_t i = 0; i < sizes.size(); ++i) set_step(kernel.sizes[i], sizes[i].step * factor);
    const bool holds = attempt.holds_at(points_of(kernel, 5, 41));
    if (holds && factor > 1) refine_steps(attempt);
    if (holds) return true;
    if (sizes.empty()) break;
  }
  return false;
}

/// The kernel for one type of its dispatch.
AdoptedKernel with_type(const AdoptedKernel& kernel, Dtype dtype) {
  AdoptedKernel other = kernel;
  other.dtypes = {dtype};
  for (AdoptedParameter& parameter : other.parameters)
    if (!parameter.type.empty()) parameter.dtype = dtype;
  return other;
}

}  // namespace

void set_steps(AdoptedKernel& kernel, std::int64_t step, const Tiles& tiles) {
  for (AdoptedSize& size : kernel.sizes) {
    const auto tile = tiles.find(size.symbol);
    size.step = counts_blocks(kernel, size) ? 1 : tile == tiles.end() ? step : tile->second;
    set_step(size, std::lcm(size.step, std::lcm(size.multiple, asserted_step(kernel, size))));
    size.reach = size.beyond;
  }
}

void reach_beyond(AdoptedKernel& kernel, const Tiles& tiles) {
  constexpr std::int64_t kTiles = 4;
  for (AdoptedSize& size : kernel.sizes)
    if (const auto tile = tiles.find(size.symbol); tile != tiles.end())
      size.reach = std::max(size.beyond, kTiles * tile->second);
}

void find_least(Attempt& attempt) {
  AdoptedKernel& kernel = attempt.kernel();
  constexpr std::int64_t kMostLeast = 2048;
  for (AdoptedSize& size : kernel.sizes) {
    const auto holds = [&](std::int64_t value) {
      Values point = small_point(kernel);
      point[size.symbol] = value;
      return !conditions_hold(kernel, point) || attempt.holds_at({point});
    };
    std::int64_t least = size.low;
    while (least <= kMostLeast && !holds(least)) least *= 2;
    if (least == size.low || least > kMostLeast) continue;
    size.evidence += fmt::format("; {} works, {} does not", least, least / 2);
    size.low = least;
  }
}

bool refine_steps(Attempt& attempt) {
  AdoptedKernel& kernel = attempt.kernel();
  bool refined = false;
  const auto holds = [&](const AdoptedSize& size) {
    return attempt.holds_at(points_of(kernel, 6, 77)) && attempt.holds_at(corners_of(kernel, size));
  };
  for (AdoptedSize& size : kernel.sizes) {
    const std::int64_t step = size.step;
    const std::int64_t least = std::lcm(size.multiple, asserted_step(kernel, size));
    for (std::int64_t smaller = 1; smaller < step && step % smaller == 0; smaller *= 2) {
      if (smaller % least != 0) continue;
      set_step(size, smaller);
      bool held = holds(size);
      if (!held) {
        size.low = std::max(size.low, step);
        held = holds(size);
      }
      refined = refined || held;
      if (held) break;
      set_step(size, step);
    }
  }
  return refined;
}

void try_other_types(AdoptedKernel& kernel, const Subject& subject, Observer& observer, Seen& seen) {
  std::vector<Dtype> dtypes{kernel.dtypes.front()};
  for (std::size_t i = 1; i < kernel.dtypes.size(); ++i) {
    const Dtype dtype = kernel.dtypes[i];
    AdoptedKernel other = with_type(kernel, dtype);
    Subject as_other = subject;
    as_other.entry = other.entry_for(std::string(cuda_type(dtype)), kernel.first_templates());
    as_other.build.entries = entries_of(other, as_other.entry);
    const BuildResult built = observer.build(as_other.build);
    const auto* const artifact = std::get_if<Artifact>(&built);
    bool holds = false;
    if (artifact != nullptr) {
      Attempt attempt({other, as_other, observer, *artifact, seen});
      holds = find_steps(attempt);
    }
    if (!holds) {
      seen.notes.push_back(
          fmt::format("{} is left out: the kernel does not run well with it at the sizes that {} runs at", name(dtype),
                      name(kernel.dtypes.front())));
      continue;
    }
    for (std::size_t s = 0; s < other.sizes.size(); ++s)
      if (other.sizes[s].step > kernel.sizes[s].step) set_step(kernel.sizes[s], other.sizes[s].step);
    dtypes.push_back(dtype);
  }
  kernel.dtypes = dtypes;
}

}  // namespace harness::adopt
