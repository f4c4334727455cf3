#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/service/shell.h"

// The candidate that a command line names: KERNEL VARIANT -p NAME=VALUE, --from ITERATION, --source FILE.
namespace harness {

/// As it was typed.
struct CandidateWords {
  std::string kernel, variant, source;
  std::int64_t from = 0;  // a recorded iteration
  std::vector<std::string> parameters;
};

/// What is asked for: as it was named, or as a recorded iteration had it.
struct AskedCandidate {
  Candidate candidate;
  std::string workload;               // "": the default ones
  std::optional<std::string> source;  // in the place of the variant's own
  std::string source_name;            // where that came from, for messages
  std::optional<std::string> parent;  // hash of the variant's own source, where another stands in its place
};

/// Throws Error(bad_input) for a name that nobody has, with the nearest one.
AskedCandidate asked_candidate(const CandidateWords& words, Catalog& catalog, Shell& shell);
const VariantInfo& variant_of(const KernelInfo& kernel, const std::string& name);
const Workload& workload_of(const KernelInfo& kernel, const std::string& name);
Error unknown_workload(const KernelInfo& kernel, const std::string& name);
/// With the first valid value of each parameter that was not given.
Realized realize(Candidate candidate, const std::string& workload, Catalog& catalog, const DeviceInfo& device);
/// Puts an edited source in the place of the variant's own. What `show --resolved` wrote into it of headers, and nobody
/// edited, goes back to its `#include` lines: those are the plugin's and the harness's words, not the author's.
void take_source(const Candidate& candidate, const std::string& workload, const std::string& source, Catalog& catalog,
                 const DeviceInfo& device);
/// The same for what was asked for, if it has one.
void use_edited(AskedCandidate& asked, const std::vector<std::string>& workloads, Catalog& catalog,
                const DeviceInfo& device);
/// The workloads of the kernel that `asked` names (names, sets, shapes), else the recorded one, else the set "default".
std::vector<std::string> asked_workloads(const AskedCandidate& candidate, std::vector<std::string> asked,
                                         Catalog& catalog, const DeviceInfo& device);

}  // namespace harness
