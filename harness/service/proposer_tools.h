#pragma once
#include <optional>
#include <string>

#include "harness/core/proposal.h"
#include "harness/service/shell.h"

namespace harness {

/// What a program that proposes may ask before it answers: a line "HARNESS_TOOLS=JSON", a list of the words that start
/// a server of tools (`harness mcp`) over the campaign's store and device. Its budget is a tenth of the campaign's, for
/// all servers that this proposer starts; they take it beside the campaign.
std::string tools_variable(const AskedProposer& proposer, std::optional<double> budget_s, const std::string& device,
                           const Places& places, const Shell& shell);

}  // namespace harness
