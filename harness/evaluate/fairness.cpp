#include "harness/evaluate/fairness.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/gates.h"
#include "harness/system/out_of_memory.h"

namespace harness {
namespace {

constexpr int kTriesFromOutside = 10;
constexpr int kStrikes = 2, kPassesAfterOne = 2;

enum class Blame { none, outside, its_own };

Blame blame_of(const Outcome& outcome) {
  if (std::holds_alternative<TimedOut>(outcome)) return Blame::its_own;
  const auto* crashed = std::get_if<Crashed>(&outcome);
  if (crashed == nullptr || crashed->kind == CrashKind::device_lost) return Blame::none;
  return crashed->kind == CrashKind::killed ? Blame::outside : Blame::its_own;
}

void add_costs(StageCosts& sum, const StageCosts& more) {
  sum.build_s += more.build_s;
  sum.gates_s += more.gates_s;
  sum.timing_s += more.timing_s;
  sum.idle_s += more.idle_s;
  sum.wall_s += more.wall_s;
}

std::string in_words(const Outcome& outcome) {
  return fmt::format("{}: {}", outcome_name(outcome), error_json(outcome).value("message", ""));
}

/// Every try of one candidate, and what they tell together.
class Tries {
 public:
  /// False: nothing more is to be tried.
  bool goes_on(Evaluation evaluation) {
    add_costs(costs_, evaluation.cost);
    last_ = std::move(evaluation);
    const long kills = out_of_memory_kills();
    Blame blame = blame_of(last_.outcome);
    if (blame == Blame::outside && kills > kills_) {  // what takes all memory is killed for it
      last_.outcome = OutOfMemory{"the machine's memory ran out while it ran, and its process was killed"};
      blame = Blame::its_own;
    }
    kills_ = kills;
    if (blame == Blame::outside) return killed_again();
    if (blame == Blame::its_own && last_.failed_twice) return false;
    if (blame == Blame::its_own) {
      if (strikes_++ == 0) first_strike_ = in_words(last_.outcome);
      return strikes_ < kStrikes;
    }
    return strikes_ > 0 && std::holds_alternative<Passed>(last_.outcome) && ++passes_ < kPassesAfterOne;
  }

  Evaluation result() {
    last_.cost = costs_;
    if (strikes_ == 1 && !last_.failed_twice)
      last_.gates.push_back(
          {name_of(gate::repeated), true, "a first try ended otherwise and was not repeated: " + first_strike_, false});
    return std::move(last_);
  }

 private:
  bool killed_again() {
    if (++killed_ < kTriesFromOutside) return true;
    throw environment_error(
        fmt::format("the process of a candidate was killed or stopped from outside {} times in a row ({}); end what "
                    "does that, or give the machine more memory",
                    killed_, error_json(last_.outcome).value("message", "")));
  }

  Evaluation last_;
  StageCosts costs_;
  std::string first_strike_;
  long kills_ = out_of_memory_kills();
  int strikes_ = 0, passes_ = 0, killed_ = 0;
};

}  // namespace

Evaluation evaluate_fairly(const std::function<Evaluation()>& first, const std::function<Evaluation()>& alone) {
  Tries tries;
  for (bool more = tries.goes_on(first()); more;) more = tries.goes_on(alone());
  return tries.result();
}

}  // namespace harness
