#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/core/diagnoser.h"
#include "harness/core/floor.h"
#include "harness/core/playbook.h"
#include "harness/core/profile.h"

namespace harness {

/// What is known of one candidate on one workload.
struct DigestParts {
  const Profile* profile = nullptr;  // nullptr: nobody profiled it
  std::vector<FiringRule> rules;     // all that speak, the most severe first
  std::optional<FloorSum> floor;
  std::optional<double> time_ns;    // measured, or predicted where nothing is measured
  std::optional<double> parent_ns;  // of what it was made of
  std::vector<Pattern> pages;       // of the playbook; those that the rules name are quoted
};

/// A short text for whoever writes the next variant: the time in parts that add up, the distance to the limit, what
/// changed against the parent, everything that limits it with its evidence, its dearest lines, and the first moves, as
/// the playbook has them. No raw counters. The same in requests to proposers, in the tools for agents and in
/// `eval --feedback`. Ends without a line end; "" where nothing is known.
std::string digest_text(const DigestParts& parts);

/// What a page of the playbook says to do and to expect, without its rule and its tests.
std::string advice_of(const Pattern& page);

}  // namespace harness
