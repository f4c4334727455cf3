#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/cards.h"
#include "harness/campaign/context.h"
#include "harness/core/fleet.h"

namespace harness {

/// What is under way: which device has which evaluation, who waits for a device, and what happens when one has ended.
/// Whatever is waited for runs as a coroutine in the campaign's one thread, in the order in which evaluations end.
class Flights {
 public:
  struct Calls {
    /// What is asked of the device. An Error(bad_input) is the outcome of a proposed variant, else the campaign's end.
    std::function<EvaluationRequest(const Assignment&)> request;
    /// Adds who proposed the candidate.
    std::function<void(AttemptRecord&)> label;
    /// Records what came of it. An ending is the campaign's; a Lost outcome is tried once more elsewhere.
    std::function<Ended(std::int64_t ticket, Flight&, const DecisionRecord&)> land;
  };
  Flights(CampaignContext& context, Cards& cards, Calls calls)
      : context_(context), cards_(cards), calls_(std::move(calls)) {}

  /// To be awaited: waits for a device, then for the evaluation on it.
  Waits evaluate(Assignment work, DecisionRecord cause);

  /// Runs a task until it first waits; the first ending of any task that is done.
  Ended start(Waits task);
  /// Runs a task to its end; nothing else is decided meanwhile.
  Ended finish(Waits task);
  /// Waits until an evaluation ends, or for a moment where something else may come; goes on with what waited for it.
  Ended finish_next();
  /// What is under way ends first. The worst end of it is the campaign's.
  Ended drain(Ending ending);
  /// After an error nobody waits any more: what is under way is tried again on resume.
  void abandon();

  bool has_tasks() const { return !tasks_.empty(); }
  /// A device is free, and nobody waits for one.
  bool has_room();
  bool under_way(const std::string& kernel, const std::string& workload, Purpose purpose) const;
  /// The strategy's view of it.
  void show(Snapshot& snapshot);
  /// Of the evaluation that ended last.
  std::size_t last_device() const { return last_device_; }
  /// The last iteration that was recorded: attempts say after which one they began.
  void recorded(std::int64_t iteration) { last_iteration_ = iteration; }
  /// A campaign that goes on: what ended the machine, and what was lost with a node.
  void remember_orphan(const Orphan& orphan);
  void remember_lost(const IterationSummary& iteration);

 private:
  /// Which device an evaluation would have: rather not one, or one alone as long as it lives.
  struct Wish {
    std::optional<std::size_t> but_not, only;
  };
  /// An evaluation that waits for a device to be free.
  struct Queued {
    Wish wish;
    std::optional<std::size_t> device;  // what it was given; nothing: none is left
    std::coroutine_handle<> waiting;
  };
  struct DeviceFree;
  struct Landed;

  Fleet& fleet();
  std::optional<std::size_t> free_device(const Wish& wish);
  bool any_device_left() const;
  AttemptRecord attempt_of(const Assignment& work, const DecisionRecord& cause, std::size_t device);
  void take_off(std::int64_t ticket, Flight flight);
  void blame_candidate(Flight& flight);
  Ended reap();
  std::optional<FleetAnswer> next_answer();
  void serve_queue();

  CampaignContext& context_;
  Cards& cards_;
  Calls calls_;
  std::unique_ptr<Fleet> lone_;             // where there is no fleet
  std::map<std::int64_t, Flight> flights_;  // by attempt
  std::vector<Queued*> queue_;              // the first one first; each lives in its coroutine
  std::vector<Waits> tasks_;
  std::map<std::string, int> machine_falls_;  // by attempt_key
  std::map<std::string, int> nodes_lost_;     // by attempt_key: nodes that were lost with it
  std::int64_t last_iteration_ = 0;
  std::size_t last_device_ = 0;
  bool cancelled_ = false;
};

}  // namespace harness
