#include "harness/adopt/observe/guesses.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/adopt/observe/index_guess.h"
#include "harness/adopt/observe/phase.h"
#include "harness/adopt/observe/points.h"
#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

constexpr double kEffortOfGuess = 4000;  // of one guess; about 20 s where a launch is short

/// Where arrays are touched as far as values say, the values of one input may say whether something is read at all: a
/// mask. If every element of it is 1 (or every one is 0), all arrays are as large as the sizes say, and other values
/// never lead further.
class MaskGuess : public Observing {
 public:
  explicit MaskGuess(const Observing& observing) : Observing(observing) {}

  bool find(const Finish& finish) {
    for (std::size_t p = 0; p < kernel_.parameters.size(); ++p)
      for (const std::int64_t value : {1, 0})
        if (may_be_mask(kernel_.parameters[p]) && holds(p, value, finish)) return true;
    return false;
  }

 private:
  static bool may_be_mask(const AdoptedParameter& parameter) {
    return parameter.kind == Param::pointer && !is_floating(parameter.dtype) && !parameter.below &&
           parameter.declared_read_only;
  }

  bool holds(std::size_t p, std::int64_t value, const Finish& finish) {
    AdoptedKernel guess = kernel_;
    guess.parameters[p].held = value;
    Attempt attempt(with_kernel(guess));
    if (!attempt.run()) return false;
    attempt.keep();
    guess.parameters[p].held.reset();
    if (!attempt.stays_inside(points_of(guess, 6, 19))) return false;
    kernel_.parameters[p].held = value;
    Attempt final_attempt(*this);
    const bool again = final_attempt.run();
    if (again) {
      final_attempt.keep();
      kernel_.parameters[p].evidence +=
          fmt::format("; where it is {} throughout, arrays are as large as sizes say", value);
      finish(final_attempt);
    }
    kernel_.parameters[p].held.reset();
    return again;
  }
};

/// Where nothing fits, a size may be one that must not exceed another (of a head what is rotated) or a multiple of one
/// (channels of groups).
class RelationGuess : public Observing {
 public:
  explicit RelationGuess(const Observing& observing) : Observing(observing) {}

  bool find(const Finish& finish) {
    const Budget budget(seen_, kEffortOfGuess);
    for (const auto& [a, b] : pairs())
      for (const Op kind : {Op::le, Op::modulo})
        for (const std::int64_t step : {1, 4}) {
          if (budget.spent()) return false;
          if (holds(step, relation(kind, a, b), finish)) return true;
        }
    return false;
  }

 private:
  using Pair = std::pair<AdoptedSize, AdoptedSize>;

  /// Names that end alike measure one thing, as kv_heads and heads: they come first.
  std::vector<Pair> pairs() const {
    std::vector<Pair> all;
    for (const AdoptedSize& a : kernel_.sizes)
      for (const AdoptedSize& b : kernel_.sizes)
        if (a.symbol != b.symbol) all.emplace_back(a, b);
    const auto alike = [](const Pair& pair) {
      const std::string &a = pair.first.name, &b = pair.second.name;
      return std::mismatch(a.rbegin(), a.rend(), b.rbegin(), b.rend()).first - a.rbegin();
    };
    std::ranges::stable_sort(all, std::ranges::greater{}, alike);
    return all;
  }

  static Condition relation(Op kind, const AdoptedSize& a, const AdoptedSize& b) {
    if (kind == Op::le)
      return {formula(Op::le, {symbol(a.symbol), symbol(b.symbol)}),
              fmt::format("it runs well where {} <= {} only", a.name, b.name)};
    return {formula(Op::eq, {formula(Op::modulo, {symbol(a.symbol), symbol(b.symbol)}), number(0)}),
            fmt::format("it runs well where {} is a multiple of {} only", a.name, b.name)};
  }

  bool holds(std::int64_t step, const Condition& condition, const Finish& finish) {
    AdoptedKernel guess = kernel_;
    set_steps(guess, step, {});
    guess.conditions.push_back(condition);
    Attempt attempt(with_kernel(guess));
    if (!attempt.run()) return false;
    attempt.keep();
    if (attempt.reaches_further()) return false;
    kernel_ = guess;
    Attempt final_attempt(*this);
    if (!final_attempt.run()) return false;
    final_attempt.keep();
    finish(final_attempt);
    return true;
  }
};

/// An attempt with the kernel as it is, kept and finished where it understands everything.
bool is_understood(const Observing& observing, const Finish& finish) {
  Attempt attempt(observing);
  if (!attempt.run()) return false;
  attempt.keep();
  if (attempt.reaches_further()) return false;
  finish(attempt);
  return true;
}

/// Everything fitted at small sizes, and larger ones reach further at any step: then the small ones are what there is.
bool narrow_steps_hold(const Observing& observing, const Attempted& attempted, const Finish& finish) {
  set_steps(observing.kernel(), *attempted.narrow, tiles_of(observing.kernel()));
  Attempt attempt(observing);
  if (!attempt.run()) return false;
  attempt.keep();
  finish(attempt);
  return true;
}

/// A step that one size alone needs (channels a multiple of 32): as a step of all sizes it leaves none that are small.
bool single_step_holds(const Observing& observing, const Attempted&, const Finish& finish) {
  const auto budget = observing.budget(kEffortOfGuess);
  AdoptedKernel& kernel = observing.kernel();
  for (std::size_t i = kernel.sizes.size(); i-- > 0;) {  // the last one is innermost more often than not
    if (counts_blocks(kernel, kernel.sizes[i])) continue;
    for (const std::int64_t step : {32, 128}) {  // what less will do is found afterwards
      if (budget.spent()) return false;
      set_steps(kernel, 1, {});
      kernel.sizes[i].step = kernel.sizes[i].low = step;
      if (is_understood(observing, finish)) return true;
    }
  }
  return false;
}

/// The steps at which it ran well, for guesses about values.
bool index_holds(const Observing& observing, const Attempted& attempted, const Finish& finish) {
  set_steps(observing.kernel(), attempted.of_questions, tiles_of(observing.kernel()));
  return index_guess_holds(observing, attempted, finish);
}

bool mask_holds(const Observing& observing, const Attempted&, const Finish& finish) {
  return MaskGuess(observing).find(finish);
}

bool relation_holds(const Observing& observing, const Attempted& attempted, const Finish& finish) {
  set_steps(observing.kernel(), attempted.of_questions, tiles_of(observing.kernel()));
  return RelationGuess(observing).find(finish);
}

bool every_array_ends_by_sizes(const Attempted& attempted) {
  return attempted.of_values.empty() && attempted.untouched == 0;
}

}  // namespace

void set_steps(AdoptedKernel& kernel, const Steps& steps, const Tiles& tiles) {
  set_steps(kernel, steps.step, steps.tiles ? tiles : Tiles());
}

const std::vector<Guess>& early_guesses() {
  static const std::vector<Guess> all{
      {"an input is a mask",
       [](const AdoptedKernel&, const Attempted& attempted) { return !attempted.of_values.empty(); }, mask_holds},
  };
  return all;
}

const std::vector<Guess>& late_guesses() {
  static const std::vector<Guess> all{
      {"small sizes are all there is",
       [](const AdoptedKernel&, const Attempted& attempted) { return attempted.narrow.has_value(); },
       narrow_steps_hold},
      {"one size alone has a step",
       [](const AdoptedKernel& kernel, const Attempted& attempted) {
         return every_array_ends_by_sizes(attempted) && kernel.sizes.size() > 2;
       },
       single_step_holds},
      {"an input holds indexes",
       [](const AdoptedKernel&, const Attempted& attempted) { return !attempted.of_values.empty(); }, index_holds},
      {"one size bounds another, or is a multiple of it",
       [](const AdoptedKernel& kernel, const Attempted& attempted) {
         return every_array_ends_by_sizes(attempted) && attempted.endless == 0 && kernel.sizes.size() > 1;
       },
       relation_holds},
  };
  return all;
}

const Guess* first_that_holds(const std::vector<Guess>& guesses, const Observing& observing, const Attempted& attempted,
                              const Finish& finish) {
  for (const Guess& guess : guesses) {
    if (!guess.applies(observing.kernel(), attempted)) continue;
    bool holds = false;
    phase(observing.subject().say, guess.name, [&] { holds = guess.holds(observing, attempted, finish); });
    if (holds) return &guess;
  }
  return nullptr;
}

}  // namespace harness::adopt
