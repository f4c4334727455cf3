#pragma once
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

namespace harness::cpu {

/// Work that a block has given to the async proxy. PTX says only when it must have been done at the latest, or may have
/// been done at the earliest; a block does all of its own at one of the two ends, so that neither a missing wait nor a
/// buffer that is filled again too early can pass unseen.
class AsyncWork {
 public:
  using Action = std::function<void()>;

  /// A block begins; what the last one left is dropped.
  void begin(bool early);
  bool early() const { return early_; }

  /// Loads are waited for through an mbarrier: late ones are done when no thread can go on without them.
  void load(Action action);
  /// Does the oldest; false: there is none.
  bool complete_a_load();

  /// Other copies and matrix products are put into groups by the thread, or the warp, that issues them (`issuer`), and
  /// waited for by their number.
  void add(int issuer, Action action);
  void commit(int issuer);
  /// Does all but the last `pending` committed groups of the issuer.
  void wait(int issuer, int pending);
  /// Does everything of the issuer, also what is in no committed group.
  void wait_for_all(int issuer);
  /// Whether some issuer never waited for what it had added.
  bool anything_left() const;

 private:
  struct Groups {
    std::vector<Action> open;
    std::deque<std::vector<Action>> committed;
  };

  bool early_ = false;
  std::deque<Action> loads_;
  std::unordered_map<int, Groups> groups_;
};

}  // namespace harness::cpu
