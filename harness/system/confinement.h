#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/core/json.h"

// How compilers, which read untrusted source, are kept from everything that is not theirs. The rooms that compile know
// what a build needs; worker/ knows how a process gives up the rest.
namespace harness {

/// All that a compiling process may touch. Paths are absolute; what does not exist is passed over.
struct Reach {
  std::vector<std::string> readable;  // folders and files
  std::vector<std::string> programs;  // the same, and what lies there may be started
  std::string writable;               // the one folder it may write to; "" for none
};

/// Called by a fresh child between fork and its work: gives up all but the reach. False: it could not, and must not go
/// on. Makes only async-signal-safe calls.
using EnterConfinement = std::function<bool()>;
/// Prepares it, before the fork. An empty Confine confines nothing (a room's own tests).
using Confine = std::function<EnterConfinement(const Reach&)>;

/// What one compilation may cost.
struct CompileLimits {
  double deadline_s = 60;
  std::int64_t memory_bytes = 4ll << 30;  // of each process; beyond what it has mapped when it starts
};

/// Exit status of a child that could not be confined. No compiler uses it.
constexpr int kNotConfined = 121;

void to_json(json& to, const CompileLimits& value);
void from_json(const json& from, CompileLimits& value);

}  // namespace harness
