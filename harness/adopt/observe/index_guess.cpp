#include "harness/adopt/observe/index_guess.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/adopt/observe/settled.h"
#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

class IndexGuess : public Observing {
 public:
  /// `of_values`: the arrays that values of others reach into.
  IndexGuess(const Observing& observing, const std::set<std::string>& of_values)
      : Observing(observing), of_values_(of_values) {}

  /// A size that some other array has, too, proves nothing: a table that is looked up in is seldom as long as what is
  /// looked up. Where several would do, the one that leaves the fewest of the kernel's sizes without an array. Where
  /// none proves anything, but of several sizes just one fits at all (the beams of a batch), it is that.
  bool find(const Finish& finish) {
    const Budget budget(seen_, kMostEffort);
    std::vector<Limit> fitting;
    std::size_t tried_sizes = 0;
    for (std::size_t p = 0; p < kernel_.parameters.size(); ++p)
      for (const AdoptedParameter& size : std::vector<AdoptedParameter>(kernel_.parameters)) {
        if (!may_be_index(kernel_.parameters[p]) || size.kind != Param::size) continue;
        if (budget.spent()) break;
        AdoptedKernel other = kernel_;
        Attempt attempt = guess(other, p, size.name);
        ++tried_sizes;
        if (!attempt.run() || !attempt.is_plain()) continue;
        attempt.keep();
        fitting.push_back({p, size.name, sizes_used(other)});
        if (!is_of_values_alone(other, size.name)) continue;
        if (const std::size_t used = sizes_used(other); !best_ || used > best_->used) best_ = Limit{p, size.name, used};
      }
    if (!best_ && fitting.size() == 1 && tried_sizes >= kSeveral) best_ = fitting.front();
    if (!best_) return false;
    Attempt attempt = guess(kernel_, best_->parameter, best_->below);
    AdoptedParameter& index = kernel_.parameters[best_->parameter];
    if (!attempt.run()) {  // it did before: a run may be killed for memory
      index.below = nullptr;
      index.greatest = false;
      return false;
    }
    attempt.keep();
    index.evidence += fmt::format("; an index below {}: then all arrays are as large as sizes say", best_->below);
    finish(attempt);
    index.greatest = false;
    return true;
  }

 private:
  static constexpr double kMostEffort = 4000;
  static constexpr std::size_t kSeveral = 3;
  struct Limit {
    std::size_t parameter = 0;
    std::string below;
    std::size_t used = 0;
  };

  static bool may_be_index(const AdoptedParameter& parameter) {
    return parameter.kind == Param::pointer && !is_floating(parameter.dtype) && storage_bytes(parameter.dtype) >= 4 &&
           !parameter.below && parameter.declared_read_only;
  }

  Attempt guess(AdoptedKernel& kernel, std::size_t parameter, const std::string& below) {
    kernel.parameters[parameter].below = symbol(below);
    kernel.parameters[parameter].greatest = true;
    return Attempt(with_kernel(kernel));
  }

  bool is_of_values_alone(const AdoptedKernel& kernel, const std::string& size) const {
    return std::ranges::none_of(kernel.parameters, [&](const AdoptedParameter& parameter) {
      return !of_values_.contains(parameter.name) &&
             std::ranges::any_of(parameter.shape,
                                 [&](const FormulaPtr& extent) { return symbols_of(*extent).contains(size); });
    });
  }

  static std::size_t sizes_used(const AdoptedKernel& kernel) {
    const std::set<std::string> used = used_by_arrays(kernel);
    return static_cast<std::size_t>(
        std::ranges::count_if(kernel.sizes, [&](const AdoptedSize& size) { return used.contains(size.symbol); }));
  }

  const std::set<std::string>& of_values_;
  std::optional<Limit> best_;
};

}  // namespace

bool index_guess_holds(const Observing& observing, const Attempted& attempted, const Finish& finish) {
  return IndexGuess(observing, attempted.of_values).find(finish);
}

}  // namespace harness::adopt
