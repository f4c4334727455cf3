#pragma once
#include <memory>
#include <string>
#include <vector>

#include "harness/adopt/kernel.h"
#include "harness/core/observation.h"

namespace harness::adopt {

/// What is not known and cannot be seen: which option answers it, and why it is asked.
struct Question {
  std::string option, why;
};

/// What the runs of a kernel on a device that observes said.
struct Seen {
  int runs = 0, held_out = 0;       // launches; sizes that were not used to find the formulas
  std::vector<std::string> notes;   // sentences
  std::vector<Question> questions;  // what has to be answered
  std::string relations;            // with questions: what the host says of sizes that may follow from others
};

/// How a device source is built for its runs.
struct Subject {
  BuildSpec build;                   // without entries
  std::string entry;                 // filled in for the first dtype and the first tuned values
  std::vector<std::string> entries;  // that one, and those of further launches
  std::string original;              // the whole file, which messages give lines of
};

/// Runs the kernel at many sizes and fills in roles, shapes and the steps and limits of its sizes. Throws
/// Error(bad_input) where it does not compile or never runs.
Seen observe(AdoptedKernel& kernel, const Subject& subject, Observer& observer);

/// The name expressions of all launches, where `first` is that of the first one; each once.
std::vector<std::string> entries_of(const AdoptedKernel& kernel, const std::string& first);

/// One launch at a point, with those behind it. `wide`: buffers of floating types hold doubles, for a source that was
/// compiled with these.
ObservedLaunch launch_at(const AdoptedKernel& kernel, const std::string& entry, const Values& sizes, unsigned fill,
                         bool wide);

/// Points of the sizes, each size a multiple of its step; products stay small.
std::vector<Values> points_of(const AdoptedKernel& kernel, std::size_t count, unsigned seed);

}  // namespace harness::adopt
