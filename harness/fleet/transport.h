#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/fleet.h"

namespace harness::fleet {

/// Port to the bytes of one node.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Becomes readable when bytes have come, or when there will be no more.
  virtual int descriptor() const = 0;
  /// False: the node's end is closed. Never waits for long: a node reads all the time.
  virtual bool send(std::string_view bytes) = 0;
  /// What has come, maybe nothing. nullopt: there will be no more.
  virtual std::optional<std::string> receive() = 0;
  /// Tells the node to leave, and returns at once; nothing is sent after it. The destructor waits for its end.
  virtual void leave() {}
};

using StartNode = std::function<std::unique_ptr<Transport>(const NodeSpec&)>;

/// Runs the command as a child of this process, which dies with it; its standard error is this process's. Throws
/// Error(environment) if there is no process to be had.
std::unique_ptr<Transport> start_process(const NodeSpec& spec);

}  // namespace harness::fleet
