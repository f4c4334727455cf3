#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/fleet.h"
#include "harness/fleet/seat.h"

namespace harness::fleet {

struct FleetOptions {
  std::vector<NodeSpec> nodes;
  std::string build;  // of this program
  Patience patience;
  StartNode start = start_process;
  std::function<bool()> stop;                             // true: what waits for a node gives up
  std::function<void(const std::string& sentence)> tell;  // nodes that are lost, come back or are given up
};

/// Nodes as one Fleet, and the first of them as the Evaluator that a campaign asks for what is done once: peaks, the
/// trial of gates. Single-threaded: nodes are listened to in next() and in the calls of evaluator().
class NodeFleet : public Fleet {
 public:
  /// Starts all nodes and waits for their hello. Throws Error(environment) if none can be used; those that cannot are
  /// not alive, and say why.
  explicit NodeFleet(FleetOptions options);
  ~NodeFleet() override;

  /// Gives each device to its node for these kernels, after their plugins were compared. Before the first evaluation.
  void prepare_for(Catalog& catalog, const std::vector<std::string>& kernels);

  const std::vector<FleetDevice>& devices() override;
  void begin(std::size_t device, std::int64_t ticket, EvaluationRequest request) override;
  std::optional<FleetAnswer> next(double patience_s) override;
  void cancel() override;

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
  void greet();
  void add_seat(std::unique_ptr<Seat> seat, const json& device);
  void refuse_unlike();
  Call use_call(std::size_t seat);
  void equip(std::size_t seat);
  void tick(double patience_s);
  void tell(const std::string& sentence) const;
  json wait_for(Seat& seat, Call call);
  std::size_t leading() const;
  void admit_everywhere(const std::string& kernel, const json& admission);
  double now() const;

  FleetOptions options_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::vector<FleetDevice> devices_;
  Known known_;
  DeviceInfo anchor_;  // what the others are like
  std::vector<FleetAnswer> ended_;
  std::unique_ptr<Lead> lead_;
  double prepare_s_ = 0;
  bool cancelled_ = false;
  std::size_t next_builder_ = 0;
};

}  // namespace harness::fleet
