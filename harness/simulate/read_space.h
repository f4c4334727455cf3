#pragma once
#include <string>

#include "harness/simulate/recorded_space.h"

namespace harness::simulate {

/// Reads a recorded space of any form we know, told apart by its content: a Kernel Tuner cache (also of an interrupted
/// run, which lacks its closing braces), T4 results, or the text export of our own store; each may be gzip.
/// `arm` is "KERNEL/WORKLOAD[/TECHNIQUE]" and only of an export, needed where it holds several.
/// Throws Error(bad_input) naming the file and what is wrong in it.
RecordedSpace read_space(const std::string& file, const std::string& arm = "");

/// Whether a text, or a file that can be read, is what `harness export` and not what another tuner writes. A file that
/// is neither counts as ours: import says best what is wrong with it.
bool is_export(const std::string& text);
bool begins_as_export(const std::string& file);

// The single forms. `file` is for messages and the space's name.
RecordedSpace read_kernel_tuner(const std::string& text, const std::string& file);
RecordedSpace read_t4(const std::string& text, const std::string& file);
RecordedSpace read_export(const std::string& text, const std::string& file, const std::string& arm);

}  // namespace harness::simulate
