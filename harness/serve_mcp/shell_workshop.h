#pragma once
#include <string>

#include "harness/serve_mcp/workshop.h"
#include "harness/service/arguments.h"
#include "harness/service/shell.h"

namespace harness::mcp {

/// SHA-256 of this program's file.
std::string program_hash();

/// The tools' ports, over the real ones of this program. `shell` outlives what is returned. `session`: its name, limits
/// and price.
Workshop workshop_of(Shell& shell, const std::string& device, const AskedTimes& times, CampaignRecord session);

}  // namespace harness::mcp
