#pragma once
#include <string>
#include <vector>

#include "harness/script/sandbox/sandbox.h"
#include "harness/script/strategy/library_source.h"

// Scripts are tried before they are trusted with a device: `harness strategies --check`.
namespace harness::script {

/// What a file returns: "strategy", "rule" or "search". Throws Error(bad_input) when it returns something else.
std::string declared_kind(SourceSet& sources, Limits limits);

/// A strategy that obeys one rule and takes the first open arm.
SourceSet strategy_of_rule(const SourceSet& rule);

/// Decides on made-up campaigns: one that begins, one at work with gains, failures and floors, one on an emulated
/// device without budget or price, one that has nothing left. Returns a sentence on each. Throws Error(bad_input), file
/// and line in front, for what goes wrong: a field of a snapshot that does not exist is an error here, with the nearest
/// name.
std::vector<std::string> try_strategy(const SourceSet& sources, Limits limits);

/// Runs a search on small made-up spaces, one without a single passing configuration among them.
std::vector<std::string> try_search(const SourceSet& sources, Limits limits);

}  // namespace harness::script
