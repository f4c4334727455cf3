#pragma once
#include <string>
#include <vector>

#include "harness/adopt/plugin/contract.h"

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

/// Reads the source, runs its kernel on a device that observes, and writes a plugin's files into memory.
/// `include_folders`: where device headers lie (kernels/include). Throws Error(bad_input) with one sentence for what
/// cannot be adopted, Error(environment) without a parser.
/// `say`: is told what the launch will be before anything is tried, and what is being tried.
Adopted adopt(const AdoptOptions& options, Observer& observer, const std::vector<std::string>& include_folders,
              const SeenKernel& seen = nullptr, const Say& say = nullptr);

}  // namespace harness::adopt
