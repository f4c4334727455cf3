#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace harness::cuda {

/// What ptxas -v prints of one entry and the cubin does not say.
struct LoggedResources {
  std::int64_t spill_bytes = 0;  // stores and loads of spilled registers
  std::int64_t static_shared_bytes = 0;
};

/// By mangled name. A kernel's own warnings come earlier in the log, so the last mention of an entry counts.
std::map<std::string, LoggedResources> parse_ptxas_log(std::string_view log);

/// What the log says that costs speed, a sentence each, in the order of the log: registers spilled (with their bytes),
/// local memory, and ptxas's remarks by their codes: C7508 (setmaxnreg ignored), C7510, C7511... (wgmma serialised),
/// C7517 and C7519 (a wait or an arrive injected; how often, and at which lines of the PTX). `names`: what to call
/// functions that the log calls by their mangled names.
std::vector<std::string> performance_notes(std::string_view log, const std::map<std::string, std::string>& names);

}  // namespace harness::cuda
