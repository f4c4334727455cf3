#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/script/plan/variant.h"

namespace harness::script {

/// Finds what a variant's `valid` allows without asking for every point. `valid` is called with no parameter assigned;
/// the first one that it reads is the one to branch on, and so on. Where it answers before it has read them all, the
/// answer holds whatever the others are: refused parts of the product are never entered, allowed ones are listed
/// unasked. Any Lua will do; conditions joined by `and`, the strictest first, prune best.
class SpaceSolver {
 public:
  using Cells = std::vector<std::uint16_t>;  // for each parameter an index into its list
  using Lists = std::vector<std::vector<Value>>;

  /// `lists[p]`: the values to consider of parameter p of the variant.
  SpaceSolver(VariantManifest& variant, const Workload& workload, const DeviceInfo& device, Lists lists);

  /// All allowed points, the last parameter varying fastest; nullopt when they are more than `most_points`, or `valid`
  /// had to be asked more than `most_asks` times. Throws Error when `valid` fails or takes longer than 60 s in all.
  std::optional<std::vector<Cells>> list(std::size_t most_points, std::size_t most_asks);
  /// The first allowed point in that order; nullopt if there is none. Throws Error when that takes too long to find.
  std::optional<Cells> first();
  /// Some allowed point: at each question the answer is drawn among those not refused, so not uniform over all points.
  /// `below(n)` draws from 0 to n - 1. nullopt if there is none.
  std::optional<Cells> draw(const std::function<std::uint64_t(std::uint64_t)>& below);
  bool allows(const Cells& cells);

  int line() const { return valid_ == nullptr ? 0 : valid_->line; }

 private:
  enum class Verdict { refused, allowed, asks };
  struct Answer {
    Verdict verdict = Verdict::allowed;
    std::size_t parameter = 0;  // of asks
  };
  using Visit = std::function<bool(const std::vector<int>& assigned)>;  // false: enough

  Answer ask();
  /// Once for each value of an unassigned parameter.
  std::vector<Answer> ask_each(std::size_t parameter);
  Answer answer_of(const PartialAnswer& partial);
  void assign(std::size_t parameter, int choice);
  void clear();
  bool walk(const Answer& answer, const Visit& visit, const std::function<void(std::vector<std::uint16_t>&)>& shuffle);
  bool satisfiable();
  void count_asks(std::size_t asks);

  VariantManifest& variant_;
  const FunctionRef* valid_;
  Lists lists_;
  std::vector<std::vector<const Value*>> values_;  // of lists_
  FactsTable parameters_, workload_, device_;
  std::vector<int> assigned_;  // -1: not yet
  std::size_t asks_ = 0, most_asks_ = 0;
  double seconds_ = 0, begun_ = 0;
};

}  // namespace harness::script
