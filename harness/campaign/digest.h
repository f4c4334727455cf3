#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/core/diagnoser.h"
#include "harness/core/floor.h"
#include "harness/core/playbook.h"
#include "harness/core/profile.h"

namespace harness {

/// What a candidate was made of.
struct DigestParent {
  std::string name;  // "10_vector (iteration 3)"
  double time_ns = 0;
  std::optional<Profile> profile;
};

/// What is known of one candidate on one workload.
struct DigestParts {
  const Profile* profile = nullptr;  // nullptr: nobody profiled it
  std::vector<FiringRule> rules;     // all that speak, the most severe first
  std::vector<DiagnosisRule> known;  // what rules read: by that their lines are found
  std::optional<FloorSum> floor;
  std::optional<LimitSum> limit;  // told instead of the floor where it is known
  std::optional<double> time_ns;  // measured, or predicted where nothing is measured
  bool predicted = false;         // that `time_ns` is
  std::optional<DigestParent> parent;
  std::vector<Pattern> pages;  // of the playbook; those that the rules name are quoted
};

/// A short text for whoever writes the next variant: the time in parts that add up, the distance to the limit, what
/// changed against the parent, everything that limits it with its evidence and its dearest lines, and the first moves,
/// as the playbook has them, with an example. No raw counters. The same in requests to proposers, in the tools for
/// agents and in `eval --feedback`. Ends without a line end; "" where nothing is known.
std::string digest_text(const DigestParts& parts);

/// What a page of the playbook says to do and to expect, without its rule and its tests.
std::string advice_of(const Pattern& page);

}  // namespace harness
