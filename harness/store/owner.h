#pragma once
#include <string>

namespace harness::store {

/// This process: machine boot, process number and start time, so that a reused number is not mistaken for it.
std::string this_process();

/// Whether the process that signed `owner` still runs on this machine. A process of another machine or boot does not.
bool still_runs(const std::string& owner);

/// A new random identity (32 hexadecimal digits).
std::string new_uuid();

}  // namespace harness::store
