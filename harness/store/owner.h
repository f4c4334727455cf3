#pragma once
#include <string>

namespace harness::store {

/// This start of the machine; "" where it does not say.
std::string this_boot();

/// This process: machine boot, process number and start time, so that a reused number is not mistaken for it.
std::string this_process();

/// What a campaign's column `owner` says: who writes to it, and since when.
struct Owner {
  std::string process;  // as this_process()
  double spent_s = 0;   // by the campaign when this process took it up
  double lived_s = 0;   // by this process, before that, for other campaigns
  bool is_this_process() const { return process == this_process(); }
};
Owner parse_owner(const std::string& text);

/// Whether the process that signed `owner` still runs on this machine. A process of another machine or boot does not,
/// nor does one that has ended and that its parent has not yet asked about (a zombie).
bool still_runs(const std::string& owner);

/// The pulse (system/pulse.h) of a store's writer, beside the store.
std::string pulse_path(const std::string& store, const std::string& process);

/// A new random identity (32 hexadecimal digits).
std::string new_uuid();

}  // namespace harness::store
