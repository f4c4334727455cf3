#pragma once
#include <poll.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/fleet.h"
#include "harness/fleet/card_watch.h"
#include "harness/fleet/seat.h"
#include "harness/system/awake_clock.h"

namespace harness::fleet {

/// Until one of them is readable, or for so long.
void wait_for_input(std::vector<pollfd>& ends, double patience_s);

struct FleetOptions {
  std::vector<NodeSpec> nodes;
  std::string build;  // of this program
  Patience patience;
  bool wait_for_all = false;  // begin when each node has come or was given up, and not with the first
  StartNode start = start_process;
  std::function<bool()> stop;  // true: what waits for a node gives up
  /// Nodes that are waited for, join late, are lost, come back or are given up.
  std::function<void(const std::string& sentence)> tell;
  std::string predicts;  // the GPU whose times emulated devices predict (core/gpu.h); "": they have their own
  CardRules cards;
  /// What a card's calibrations are held against: its first one by that method in earlier campaigns.
  std::function<std::optional<CardCalibration>(const FleetDevice&, const std::string& method)> first_calibration = {};
  // The time, and poll(): a simulation has its own.
  std::function<double()> now = awake_seconds;
  std::function<void(std::vector<pollfd>& ends, double patience_s)> wait = wait_for_input;
};

/// Nodes as one Fleet, and the first of them as the Evaluator that a campaign asks for what is done once: peaks, the
/// trial of gates. Single-threaded: nodes are listened to in next() and in the calls of evaluator().
///
/// A node says hello, is compared with the first ones, is given its device and calibrates the card; then it is alive.
/// Whoever comes late goes the same way while the others work.
class NodeFleet : public Fleet {
 public:
  /// Starts all nodes and waits for the first hello, for children of this program, and for those that come at the same
  /// time. Throws Error(environment) if none can be used; those that cannot are not alive, and say why.
  explicit NodeFleet(FleetOptions options);
  ~NodeFleet() override;

  /// Gives each device to its node for these kernels, after their plugins were compared, and calibrates the cards.
  /// Before the first evaluation.
  void prepare_for(Catalog& catalog, const std::vector<std::string>& kernels);

  const std::vector<FleetDevice>& devices() override;
  void begin(std::size_t device, std::int64_t ticket, EvaluationRequest request) override;
  std::optional<FleetAnswer> next(double patience_s) override;
  void cancel() override;
  std::vector<CardCheck> take_card_checks() override { return std::exchange(checks_, {}); }
  void doubt(std::size_t device) override { watches_[device].doubt(); }

  Evaluator& evaluator();
  /// What was sent and received so far.
  std::size_t bytes() const;

 private:
  class Lead;
  struct Known {  // what every node is told once, and again when it was started again
    json use_kernels = json::object();
    json peaks;
    std::map<std::string, json> admissions;  // by kernel
  };
  void gather();
  void add_seat(const NodeSpec& spec, const json& device);
  bool gathered_enough(const std::optional<double>& first_s) const;
  std::string coming_nodes() const;
  void welcome(std::size_t seat);
  std::vector<json> wanted_devices(std::size_t seat) const;
  void identify(std::size_t seat, const json& device);
  void refuse_unlike();
  std::string unlikeness(std::size_t seat, std::size_t anchor) const;
  void introduce(std::size_t seat);
  void join(std::size_t seat);
  void leave_out(std::size_t seat, const std::string& why);
  void end_device(std::size_t device, const std::string& why);
  void push_to_all(const json& message);
  Call use_call(std::size_t seat);
  void equip(std::size_t seat);
  void tick(double patience_s);
  void tell(const std::string& sentence) const;
  json wait_for(Seat& seat, Call call);
  std::size_t leading() const;
  void admit_everywhere(const std::string& kernel, const json& admission);
  void calibrate(std::size_t device, bool at_once);
  void calibrated(std::size_t device, const json& answer);
  void set_aside(std::size_t device, const std::string& why);
  std::string lie_in(const json& answer, std::size_t device, const std::vector<std::string>& hashes) const;
  double now() const { return options_.now(); }

  struct Joining {            // of a device whose node has not joined yet
    json device;              // that it has at its node; null: what its hello says
    bool welcomed = false;    // its hello was heard and fits
    bool introduced = false;  // it was told what the others know
  };

  FleetOptions options_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::vector<FleetDevice> devices_;  // one a seat
  std::vector<Joining> joining_;      // of devices_
  std::vector<CardWatch> watches_;    // of devices_
  std::vector<CardCheck> checks_;     // that nobody has taken yet
  std::vector<pollfd> ends_;          // of seats_
  double look_at_all_ = 0;            // when every seat is looked at again
  Known known_;
  DeviceInfo anchor_;      // what the others are like
  bool gathered_ = false;  // who comes now comes late
  bool prepared_ = false;  // the kernels are known
  std::vector<FleetAnswer> ended_;
  std::unique_ptr<Lead> lead_;
  double prepare_s_ = 0;
  bool cancelled_ = false;
  std::size_t next_builder_ = 0;
};

}  // namespace harness::fleet
