#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "harness/fleet/line.h"

namespace harness::fleet {

/// A node's end of the wire. One thread reads, one says every second that the node lives; calls wait for whoever works.
/// A call that comes twice is done once: its answer is kept and sent again.
class Mailbox {
 public:
  Mailbox(int input, int output);
  ~Mailbox();
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  void send(const json& message);
  /// Waits for the next call; nothing: the input has ended, or `give_up` says so.
  std::optional<json> take(const std::function<bool()>& give_up);
  /// Sends the answer of the call that was taken last. From then on the next one may be taken.
  void answer(const json& answer);
  /// Asks the other side something that belongs to the call at work, again every two seconds until it replies. Null:
  /// the call was cancelled, or the input has ended.
  json ask(json question);
  /// The call at work need not be finished.
  bool cancelled();

 private:
  void read();
  void beat();
  void receive(const json& message);
  bool ended_or_cancelled() const { return ended_ || cancel_; }

  int input_, output_;
  std::mutex mutex_, writing_;
  std::condition_variable changed_;
  bool ended_ = false, closing_ = false, cancel_ = false;
  std::int64_t working_ = 0;  // the call's id; 0: none
  std::int64_t questions_ = 0;
  std::deque<json> calls_;
  std::set<std::int64_t> seen_;
  std::map<std::int64_t, json> answers_;  // the newest few
  std::map<std::int64_t, json> replies_;
  std::thread reader_, beater_;
};

}  // namespace harness::fleet
