#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/core/plan.h"

namespace harness::adopt {

/// What is not known and cannot be seen: which option answers it, and why it is asked.
struct Question {
  std::string option, why;
};

/// What the runs of a kernel on a device that observes said.
struct Seen {
  int runs = 0, held_out = 0;       // launches; sizes that were not used to find the formulas
  int endless = 0;                  // calls in which a launch did not end
  double effort = 0;                // of the launches, counted (observing.h)
  std::vector<std::string> notes;   // sentences
  std::string undefined;            // what a GPU leaves undefined and the kernel reads: a sentence; "": nothing
  std::vector<Question> questions;  // what has to be answered
  std::string relations;            // with questions: what the host says of sizes that may follow from others
};

/// Is told a line of what goes on.
using Say = std::function<void(const std::string&)>;

/// How a device source is built for its runs.
struct Subject {
  BuildSpec build;       // of all its launches
  std::string entry;     // filled in for the first dtype and the first tuned values
  std::string original;  // the whole file, which messages give lines of
  Say say;               // nothing: nobody listens
};

}  // namespace harness::adopt
