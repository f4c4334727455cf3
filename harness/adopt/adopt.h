#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/adopt/observe.h"
#include "harness/adopt/options.h"
#include "harness/adopt/write.h"

namespace harness::adopt {

/// A plugin in the making: what was found out, and its files where nothing is left to ask.
struct Adopted {
  std::string name;
  AdoptedKernel kernel;
  Seen seen;
  DeviceSource device;
  ChosenReference reference;
  std::vector<PluginFile> files;  // empty: questions are open (seen.questions)
};

/// `matched`: which tensor of the options' problem each pointer is.
using SeenKernel = std::function<std::string(AdoptedKernel& kernel, const Matched& matched)>;

/// Reads the source, runs its kernel on a device that observes, and writes a plugin's files into memory.
/// `seen`, where it is given, gets the kernel as it was observed, before workloads and reference are chosen; it may
/// change sizes and numbers, and answers with an option --reference or "".
/// `include_folders`: where device headers lie (kernels/include). Throws Error(bad_input) with one sentence for what
/// cannot be adopted, Error(environment) without a parser.
Adopted adopt(const AdoptOptions& options, Observer& observer, const std::vector<std::string>& include_folders,
              const SeenKernel& seen = nullptr);

}  // namespace harness::adopt
