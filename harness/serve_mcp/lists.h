#pragma once
#include <vector>

#include "harness/serve_mcp/toolbox.h"

// The lists of a toolbox as both eras write them.
namespace harness::mcp {

json listed(const std::vector<Tool>& tools);
json listed(const std::vector<Resource>& resources);
json listed_templates(const std::vector<Resource>& templates);
json listed(const std::vector<Prompt>& prompts);

}  // namespace harness::mcp
