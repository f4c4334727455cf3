#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "harness/core/fleet.h"
#include "harness/fleet/line.h"
#include "harness/fleet/transport.h"

namespace harness::fleet {

/// How long a fleet is patient, seconds.
struct Patience {
  double silence = 15;       // a node beats every second: one that is not heard for so long is lost
  double again = 3;          // a call that a node does not work at, by its beats, is sent again
  double evaluation = 1800;  // of one evaluation: the node ends it then, and `grace` later it counts as lost
  double grace = 30;
  int restarts = 3;     // of a node that was lost, in a row; then it is given up
  double together = 2;  // after the first hello: those that come by then are begun with
};

/// What a node is asked to do.
struct Call {
  json message;                                        // without its id
  std::function<void(const json& answer)> answered;    // the whole message: "answer" or "error"
  std::function<json(const json& question)> question;  // of the node, while it works at it
  /// Instead of an answer. `begun`: the node was at work at it.
  std::function<void(const std::string& why, bool begun)> lost;
  double deadline_s = 0;           // 0: as long as the node lives
  bool shows_it_can_work = false;  // an answer ends the count of lives lost in a row
};

/// One device of a fleet: a node process, started again when it is lost, and the calls for it in order.
class Seat {
 public:
  Seat(NodeSpec spec, StartNode start, Patience patience, double now);

  const std::string& name() const { return spec_.name; }
  const NodeSpec& spec() const { return spec_; }
  bool alive() const { return state_ != State::dead; }
  bool greeted() const { return hello_.has_value(); }
  const json& hello() const { return *hello_; }
  const std::string& why() const { return why_; }
  bool idle() const { return calls_.empty(); }
  /// There is something to be sent: it is not waited for what the node says.
  bool has_unsent() const { return state_ == State::running && hello_ && !calls_.empty() && first_id_ == 0; }
  double waited_s() const { return waited_; }  // for the first hello
  int descriptor() const { return transport_ ? transport_->descriptor() : -1; }

  void push(Call call);
  void push_front(Call call);
  /// Takes what the node said, where its descriptor is readable, and notices what it did not say. `now`: any steady
  /// clock, seconds.
  void tick(double now, bool readable);
  /// What it works at need not be finished.
  void cancel();
  /// Its node need not stay. Called for all seats first, nodes end at the same time.
  void leave() {
    if (transport_) transport_->leave();
  }
  /// It is given up, with a sentence.
  void retire(const std::string& why);
  /// What is to be called first after it was started again; it was greeted then.
  std::function<void(Seat&)> on_restart;
  std::size_t bytes_sent() const { return bytes_sent_; }
  std::size_t bytes_received() const { return bytes_received_; }

 private:
  enum class State { running, waiting, dead };
  void begin(double now);
  void listen(double now);
  void receive(const json& message, double now);
  void finish(const json& answer);
  void send_first(double now);
  void lose(const std::string& why, double now);
  bool send(const json& message);

  NodeSpec spec_;
  StartNode start_;
  Patience patience_;
  State state_ = State::running;
  std::unique_ptr<Transport> transport_;
  Lines lines_{Side::node};
  std::optional<json> hello_;
  std::deque<Call> calls_;
  std::int64_t next_id_ = 1, first_id_ = 0;  // of the first call; 0: not sent in this life
  double begun_ = 0, heard_ = 0, sent_ = 0, first_sent_ = 0, start_again_ = 0;
  double waited_ = 0;
  int lives_ = 0;
  bool ever_greeted_ = false;
  std::string why_;
  std::size_t bytes_sent_ = 0, bytes_received_ = 0;
};

}  // namespace harness::fleet
