#include "harness/adopt/kernel/branched.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "harness/adopt/host/branches.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

constexpr std::int64_t kFarthest = 1 << 14;  // a size that an emulated launch can still have

bool is_settled(const LaunchShape& launch) {
  return launch.when && launch.when->kind == Op::number;
}

/// "rows" where a formula is of that size alone; nullptr: of others, too.
AdoptedSize* only_size_of(AdoptedKernel& kernel, const Formula& formula) {
  const std::set<std::string> symbols = symbols_of(formula);
  if (symbols.size() != 1) return nullptr;
  const auto size = std::ranges::find(kernel.sizes, *symbols.begin(), &AdoptedSize::symbol);
  return size == kernel.sizes.end() ? nullptr : &*size;
}

bool holds(const Formula& condition, const AdoptedSize& size, std::int64_t value) {
  return evaluate(condition, {{size.symbol, value}}).value_or(0) != 0;
}

/// Beyond where a comparison of one size turns.
void reach_both_sides(AdoptedKernel& kernel, const Formula& condition) {
  const bool compares =
      condition.kind == Op::lt || condition.kind == Op::le || condition.kind == Op::eq || condition.kind == Op::ne;
  if (!compares)
    for (const FormulaPtr& operand : condition.operands) reach_both_sides(kernel, *operand);
  AdoptedSize* const size = compares ? only_size_of(kernel, condition) : nullptr;
  if (size == nullptr) return;
  const bool first = holds(condition, *size, size->low);
  for (std::int64_t value = size->low; value <= std::min(kFarthest, size->high); ++value) {
    if (holds(condition, *size, value) == first) continue;
    size->beyond = size->reach = std::max(size->reach, value + value / 2 + 2);
    return;
  }
}

/// Conditions that options have settled are none of the manifest's: `1 && n < 4` is `n < 4`.
FormulaPtr without_settled(const FormulaPtr& condition) {
  if (condition->kind != Op::all_of && condition->kind != Op::any_of) return condition;
  const FormulaPtr left = without_settled(condition->operands[0]), right = without_settled(condition->operands[1]);
  for (const auto& [one, other] : {std::pair{left, right}, std::pair{right, left}}) {
    if (one->kind != Op::number) continue;
    const bool decides = (one->number != 0) == (condition->kind == Op::any_of);
    return decides ? one : other;
  }
  return formula(condition->kind, {left, right});
}

/// Is some launch made whatever the sizes are, as far as many draws show it?
bool always_launches(const AdoptedKernel& kernel) {
  constexpr int kDraws = 4000;
  std::mt19937_64 random(7);
  const Values settings = kernel.settings(kernel.dtypes.front());
  for (int draw = 0; draw < kDraws; ++draw) {
    Values values = settings;
    for (const AdoptedSize& size : kernel.sizes) {
      const std::uint64_t most = 1ULL << (1 + random() % 14);
      values[size.symbol] = std::min(size.high, size.low + static_cast<std::int64_t>(random() % most));
    }
    if (std::ranges::none_of(kernel.launches(), [&](const LaunchShape* launch) { return is_made(*launch, values); }))
      return false;
  }
  return true;
}

void settle_one(AdoptedKernel& kernel) {
  LaunchShape& launch = kernel.launch;
  if (launch.when && launch.when->kind == Op::number && launch.when->number == 0)
    throw bad_input(fmt::format("{}: no size and no option reaches this launch", launch.from));
  if (launch.when && !is_settled(launch))
    for (const FormulaPtr& one : parts_of_all(launch.when))
      kernel.conditions.push_back({one, "the host launches it there alone"});
  launch.when = number(1);
}

}  // namespace

void settle_branches(AdoptedKernel& kernel) {
  if (kernel.launch.when) kernel.launch.when = without_settled(kernel.launch.when);
  for (FurtherLaunch& further : kernel.further)
    if (further.launch.when) further.launch.when = without_settled(further.launch.when);
  if (kernel.further.empty()) return settle_one(kernel);
  FormulaPtr any;
  bool always = false;
  for (const LaunchShape* launch : kernel.launches()) {
    if (!launch->when)
      throw bad_input(
          fmt::format("{} stands in a loop or in a branch that asks what no size says; adopt takes functions "
                      "whose launches follow from the sizes, or name a kernel",
                      launch->from));
    always = always || (is_settled(*launch) && launch->when->number != 0);
    any = any ? formula(Op::any_of, {any, launch->when}) : launch->when;
    reach_both_sides(kernel, *launch->when);
  }
  std::erase_if(kernel.further, [](const FurtherLaunch& further) {
    return is_settled(further.launch) && further.launch.when->number == 0;
  });
  if (!always && !always_launches(kernel)) kernel.conditions.push_back({any, "the host launches something there"});
}

void narrow_by_conditions(AdoptedKernel& kernel) {
  constexpr std::int64_t kMostListed = 1 << 16;  // values of a size that are looked at
  std::erase_if(kernel.conditions, [&](const Condition& condition) {
    AdoptedSize* const size = only_size_of(kernel, *condition.formula);
    if (size == nullptr) return false;
    std::int64_t low = 0, high = 0, step = 0, count = 0;
    const std::int64_t end = std::min(size->high, kMostListed);
    for (std::int64_t value = size->low; value <= end; ++value) {
      if (!holds(*condition.formula, *size, value)) continue;
      if (low == 0) low = value;
      high = value;
      step = std::gcd(step, value);
      ++count;
    }
    const bool open = high == end, gapless = count == high - low + 1;
    if (count == 0 || (open && (!gapless || end < size->high))) return false;
    if (!gapless) size->multiple = std::lcm(size->multiple, step);
    if (low > size->low) {
      size->least = low;
      size->low = low;
      size->evidence += fmt::format("; from {}: {}", low, condition.evidence);
    }
    if (!open) {
      size->high = high;
      size->limited = true;
      size->evidence += fmt::format("; up to {}: {}", high, condition.evidence);
    }
    return gapless || count == (high - low) / step + 1;
  });
}

}  // namespace harness::adopt
