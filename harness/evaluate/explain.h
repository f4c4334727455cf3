#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/evaluate/worker_pool.h"

// What a memory checker says of a candidate whose answer was wrong or that crashed: a missing barrier, an access far
// out of bounds, a vector access that is not aligned. It decides nothing, and stands first in the message.
namespace harness {

/// A point of the domain and a form of the inputs at which a candidate is run under a checker.
struct CheckedPlace {
  const Realized* realized = nullptr;
  std::string form = "nominal";
};

/// The finding of `checks` that most likely is the cause, and how many more there are; "" where there is none.
std::string first_finding(const std::vector<MemoryCheck>& checks);

/// Runs the checked build at the places in their order until one finding explains the candidate: "at N=40: thread ...".
/// nullopt: nothing was found, or nothing could be checked in the time that all have together.
std::optional<std::string> explain_by_checker(WorkerPool& workers, const std::vector<CheckedPlace>& places,
                                              const Admission* admission, double seconds);

/// Explanations of a process's candidates by source and symptom: a search meets the same fault in many configurations.
using Explanations = std::map<std::string, std::string>;

}  // namespace harness
