#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace harness::cuda {

/// What ptxas -v prints of one entry and the cubin does not say.
struct LoggedResources {
  std::int64_t spill_bytes = 0;  // stores and loads of spilled registers
  std::int64_t static_shared_bytes = 0;
};

/// By mangled name. A kernel's own warnings come earlier in the log, so the last mention of an entry counts.
std::map<std::string, LoggedResources> parse_ptxas_log(std::string_view log);

}  // namespace harness::cuda
