#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/plan.h"
#include "harness/judge/policy.h"

// What a manifest brings into a build: it is source, too, and stands where no scan of the sources looks.
namespace harness::judge {

/// A literal, an identifier or an expression of those: words, numbers, operators and balanced brackets, with no string,
/// statement, assignment or comment.
bool is_expression(std::string_view text);
/// A function's name, with its namespaces and template arguments: "ns::scale<float, 4>".
bool is_entry_name(std::string_view text);

/// Flags of category "manifest" for what is neither, and of the others for words that a source is not allowed.
std::vector<PolicyFlag> scan_manifest(const BuildSpec& build);

}  // namespace harness::judge
