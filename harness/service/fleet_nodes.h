#pragma once
#include <memory>
#include <string>
#include <vector>

#include "harness/fleet/fleet.h"
#include "harness/service/shell.h"

namespace harness {

/// Which program this is, for the two ends of a fleet.
std::string build_of(const ProgramVersion& program);

/// The nodes that are meant by --fleet FILE, or by a --device that names several: "cuda:0,cuda:1", "cuda:*". Empty: one
/// device of this process is meant. Throws Error(bad_input) where both are given.
std::vector<NodeSpec> fleet_nodes(const std::string& file, const std::string& device, Shell& shell);

/// What a card's calibrations are held against; see fleet::FleetOptions.
using FirstCalibration = std::function<std::optional<CardCalibration>(const FleetDevice&, const std::string& method)>;

/// Starts them: children of this program get its plugin folders and gate options. `predicts`, `wait_for_all`: those of
/// FleetOptions.
std::unique_ptr<fleet::NodeFleet> start_fleet(std::vector<NodeSpec> nodes, Shell& shell,
                                              FirstCalibration first_calibration = {}, const std::string& predicts = "",
                                              bool wait_for_all = false);

}  // namespace harness
