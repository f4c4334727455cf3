#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/archive.h"
#include "harness/service/shell.h"

namespace harness {

/// What a job of a session asks about: one candidate on one workload.
struct AgentCandidate {
  std::unique_ptr<Catalog> own;     // as the plugin folders have it, with what the session proposed
  std::unique_ptr<Catalog> edited;  // with the job's source in its place
  Candidate candidate;
  std::string workload;
  std::optional<std::string> parent;  // of an edited source: hash of the variant's own
  bool first = false;                 // a problem's first kernel: it is its own baseline
};

/// Makes it of the job's request. A changed manifest becomes a variant of the session, recorded where it is new. Throws
/// Error(bad_input) where none can be made.
AgentCandidate agent_candidate(const AgentJob& job, const AgentSession& session, const DeviceInfo& device,
                               Ledger& ledger, const Places& places, Shell& shell);

/// The candidate with all numbers filled in, under its technique: the one that the agent named, or TECHNIQUE~JOB for a
/// source of its own, so that what a technique was worth says nothing of another one.
Realized realized_candidate(const AgentJob& job, const AgentCandidate& asked, Candidate candidate,
                            const DeviceInfo& device);

/// The sets of values that a job asks about: `parameter_sets`, or the one of `parameters`.
std::vector<Config> asked_sets(const AgentJob& job);

/// The job's candidate with its first set.
Candidate first_candidate(const AgentJob& job, const AgentCandidate& asked);

}  // namespace harness
