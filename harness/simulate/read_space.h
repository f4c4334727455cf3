#pragma once
#include <cstddef>
#include <string>

#include "harness/simulate/recorded_space.h"

namespace harness::simulate {

/// Reads a recorded space of any form we know, told apart by its content: a Kernel Tuner cache (also of an interrupted
/// run, which lacks its closing braces), T4 results, or the text export of our own store; each may be gzip.
/// `arm` is "KERNEL/WORKLOAD[/TECHNIQUE]" and only of an export, needed where it holds several.
/// Throws Error(bad_input) naming the file and what is wrong in it.
RecordedSpace read_space(const std::string& file, const std::string& arm = "");

/// The whole text of a file, unpacked if it is gzip (by its first bytes, not its name). Throws Error(bad_input) for a
/// file that is not there, cannot be read, is damaged or holds more than `largest` bytes: a thousandth of them may be
/// enough to make it.
std::string read_text(const std::string& file, std::size_t largest = std::size_t{1} << 30);

/// Whether a text, or a file that can be read, is what `harness export` and not what another tuner writes. A file that
/// is neither counts as ours: import says best what is wrong with it.
bool is_export(const std::string& text);
bool begins_as_export(const std::string& file);

// The single forms. `file` is for messages and the space's name.
RecordedSpace read_kernel_tuner(const std::string& text, const std::string& file);
RecordedSpace read_t4(const std::string& text, const std::string& file);
RecordedSpace read_export(const std::string& text, const std::string& file, const std::string& arm);

}  // namespace harness::simulate
