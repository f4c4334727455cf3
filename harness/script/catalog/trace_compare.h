#pragma once
#include <map>
#include <optional>
#include <string>

#include "harness/script/contract/manifest_node.h"

namespace harness::script {

/// Where a traced result, with numbers put in for its symbols, differs from the plain result: "grid[1] is 8, but the
/// expression cdiv(w.T, 32) gives 4". nullopt: they agree.
std::optional<std::string> difference(const Node& traced, const Node& plain,
                                      const std::map<std::string, Scalar>& symbols);

}  // namespace harness::script
