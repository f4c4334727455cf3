#pragma once
#include <functional>
#include <string>

#include "harness/adopt/kernel/launched.h"
#include "harness/adopt/observe/observe.h"
#include "harness/adopt/plugin/match_problem.h"
#include "harness/adopt/plugin/plugin_file.h"

namespace harness::adopt {

/// What a plugin says of a kernel: the last stage before its files are written.
struct Contract {
  AdoptedKernel kernel;
  ChosenReference reference;
  Seen seen;  // with what choosing inputs and reference added
};

/// Somebody who knows more of a kernel once it was observed, before workloads and reference are chosen: may change
/// sizes and numbers, and answers with an option --reference or "". `matched`: which tensor of the options' problem
/// each pointer is.
using SeenKernel = std::function<std::string(AdoptedKernel& kernel, const Matched& matched)>;

/// Of a kernel without open questions. Throws Error(bad_input) where nothing that it does can be compared.
Contract contract_of(const Declared& declared, const DeviceSource& device, const Observed& observed,
                     const Subject& subject, Observer& observer, const SeenKernel& seen);

}  // namespace harness::adopt
