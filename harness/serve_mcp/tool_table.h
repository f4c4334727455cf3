#pragma once
#include <vector>

#include "harness/serve_mcp/toolbox.h"

namespace harness::mcp {

/// All tools, in the order in which they are listed.
const std::vector<Tool>& tool_table();
const Tool& find_tool(const std::string& name);  // must be there

const std::vector<Prompt>& prompt_table();
/// The text of a prompt; nothing: there is none of this name.
std::optional<std::string> filled_prompt(const std::string& name, const json& arguments);

/// What a client is told of this server before anything else.
extern const char* const kInstructions;

}  // namespace harness::mcp
