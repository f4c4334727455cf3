#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/evaluator.h"

namespace harness {

/// Some nodes that are started in the same way.
struct NodeSpec {
  std::string name;
  std::vector<std::string> start;      // a command whose standard input and output reach `harness node --stdio`
  std::vector<std::string> devices;    // "cuda:0", "cuda:*": all of a kind, "*": all
  int count = 1;                       // so many of them, each started by itself
  std::optional<double> usd_per_hour;  // of one device, held
  double wait_s = 60;                  // how long it may take until it says hello: a queue may lie in between
  bool is_child = false;               // of this program, on this machine; `start` is then empty
};

/// One device of a fleet: one evaluation at a time.
struct FleetDevice {
  std::string node;  // its name in the fleet, "gpu1/2"
  std::string uuid;  // of the card; where the device is a machine's processor, the machine's name
  DeviceInfo info;
  std::string driver_release;  // of NVIDIA's kernel module there, "580.65.06"; "" without
  std::optional<double> usd_per_hour;
  double waited_s = 0;  // until its node said hello: a queue may lie in between
  bool alive = true;    // false: it ended for good, was set aside, or has not come yet
  bool coming = false;  // its node is waited for: it may still join
  std::string why;      // it is not alive: a sentence
};

/// An evaluation that has ended. Its outcome is Lost where the node was lost, which may come back.
struct FleetAnswer {
  std::int64_t ticket = 0;
  Evaluation evaluation;
};

/// Port to devices that evaluate at the same time, here or on other machines. Not thread-safe: whoever calls it waits
/// in next(), and the callbacks of requests are called there.
class Fleet {
 public:
  virtual ~Fleet() = default;
  /// In an order that stays. Some may join later: those that are `coming`, and behind them what else their nodes have.
  virtual const std::vector<FleetDevice>& devices() = 0;
  /// Begins an evaluation on a device that has none. `ticket`: any number that the answer is to carry.
  virtual void begin(std::size_t device, std::int64_t ticket, EvaluationRequest request) = 0;
  /// The next evaluation that has ended, each once; nothing: none did within `patience_s`, or none is under way.
  virtual std::optional<FleetAnswer> next(double patience_s) = 0;
  /// All that is under way ends soon, as Interrupted.
  virtual void cancel() = 0;
  /// What calibrations have found since the last call, in their order. Cards calibrate themselves when they join and
  /// every so often; one that drifts ends as not alive.
  virtual std::vector<CardCheck> take_card_checks() { return {}; }
  /// Something odd was seen on this device: it is calibrated before it gets more work.
  virtual void doubt(std::size_t /*device*/) {}
};

}  // namespace harness
