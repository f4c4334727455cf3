#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/core/evaluator.h"

namespace harness::fleet {

/// What a node is made of.
struct NodeParts {
  std::string build;                // of this program: both sides must be the same
  std::vector<DeviceInfo> devices;  // that it may use
  std::string machine;              // its name
  json driver_release;              // text or null
  std::function<std::unique_ptr<Catalog>()> catalog;
  std::function<std::unique_ptr<Evaluator>(const DeviceInfo&, std::function<bool()> stop)> evaluator;
  std::function<bool()> interrupted;  // SIGTERM: what is under way ends as Interrupted
};

/// The other end of a fleet: one device, one evaluation at a time, until its input ends. It says hello at once and
/// then every second that it lives, and what it is at. Nothing is written but the build caches; no store is opened.
/// Returns the exit status.
int serve_node(NodeParts parts, int input, int output);

}  // namespace harness::fleet
