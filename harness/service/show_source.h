#pragma once
#include <string>

#include "harness/service/shell.h"

// `harness show ITERATION --source --resolved` and `--standalone`: a recorded candidate as a source file for others.
namespace harness {

enum class SourceForm {
  resolved,    // one source with configuration, headers and how it is launched
  standalone,  // a program that runs it beside the kernel's baseline
};

/// The text, and the launches of its plan as data (package/launch_list.h). `row` is the iteration with its source.
/// Plugins give what the store does not hold: headers and launches. Notes about these go to Shell::tell. Throws
/// Error(bad_input), one sentence, where the plugin is not here, or has changed so that the recorded source cannot be
/// put together.
struct WrittenSource {
  std::string text;
  json launches, steps;
};
WrittenSource write_source(Shell& shell, Archive& archive, const json& row, SourceForm form);

/// The device that an iteration's campaign ran on, as it was.
DeviceInfo recorded_device(Archive& archive, const json& row);
/// A shape of a person's own is a workload of the catalog again.
void add_recorded_workload(Catalog& catalog, const std::string& kernel, const std::string& workload,
                           const DeviceInfo& device);
/// Which headers a recorded source may be put together with: the store does not hold them.
enum class Headers {
  recorded,  // those of then, by their hash; others are refused
  any,       // those of today too
};
struct RecordedCandidate {
  Realized realized;
  bool same_headers = true;
};
/// What an iteration measured, out of its recorded source and the plugin. Notes a contract that has changed since.
RecordedCandidate recorded_candidate(const Shell& shell, Catalog& catalog, const json& row, const DeviceInfo& device,
                                     Headers headers = Headers::recorded);
/// The kernel's baseline on the same workload, as it is configured where nobody says otherwise.
Realized baseline_beside(Catalog& catalog, const Realized& winner, const DeviceInfo& device);

}  // namespace harness
