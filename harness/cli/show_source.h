#pragma once
#include <string>

#include "harness/cli/command.h"

// `harness show ITERATION --source --resolved` and `--standalone`: a recorded candidate as a source file for others.
namespace harness {

enum class SourceForm {
  resolved,    // one source with configuration, headers and how it is launched
  standalone,  // a program that runs it beside the kernel's baseline
};

/// The text, and the launches of its plan as data (package/launch_list.h). `row` is the iteration with its source.
/// Plugins give what the store does not hold: headers and launches. Notes about these go to stderr. Throws
/// Error(bad_input), one sentence, where the plugin is not here, or has changed so that the recorded source cannot be
/// put together.
struct WrittenSource {
  std::string text;
  json launches, steps;
};
WrittenSource write_source(Shell& shell, Archive& archive, const json& row, SourceForm form);

}  // namespace harness
