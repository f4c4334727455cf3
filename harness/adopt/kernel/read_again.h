#pragma once
#include <string>
#include <vector>

#include "harness/adopt/kernel/options.h"
#include "harness/adopt/source/source.h"

// Options without which a file means something else: a plugin notes them, and every later reading of its file takes
// them again.
namespace harness::adopt {

/// "--include ../include" (as seen from the file's folder), "-D WIDTH=64", "--type T=f16", "--launch #2" (the second
/// launch of `kernel`: lines move), "--grid ...", "--set ...".
std::vector<std::string> options_to_read_again(const Source& source, const AdoptOptions& options,
                                               const std::string& kernel);

/// The same as options again.
void take_options(AdoptOptions& options, const std::vector<std::string>& texts);

/// The line of the launch that `options.launch_number` counts, now that the file is read.
void find_launch_line(const Source& source, AdoptOptions& options);

}  // namespace harness::adopt
