#pragma once
#include <cstdint>

#include "harness/core/json.h"
#include "harness/system/deadline.h"

namespace harness {

/// A compiler that reads a slow disk sleeps; so many times its deadline it may take then.
inline constexpr double kCompilerAsleepFactor = 3;

/// So often a compiler that somebody kills is started before the source counts as one that does not compile.
inline constexpr int kTriesOfKilled = 6;

/// What one compilation may cost.
struct CompileLimits {
  double deadline_s = 60;                 // of core time, each process (Patience)
  std::int64_t memory_bytes = 4ll << 30;  // of each process; beyond what it has mapped when it starts
};

inline Patience patience_of(const CompileLimits& limits) {
  return {.seconds = limits.deadline_s, .asleep_factor = kCompilerAsleepFactor};
}

void to_json(json& to, const CompileLimits& value);
void from_json(const json& from, CompileLimits& value);

}  // namespace harness
