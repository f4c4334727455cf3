#pragma once
#include <cstdint>

#include "harness/core/json.h"

namespace harness {

/// What one compilation may cost.
struct CompileLimits {
  double deadline_s = 60;
  std::int64_t memory_bytes = 4ll << 30;  // of each process; beyond what it has mapped when it starts
};

void to_json(json& to, const CompileLimits& value);
void from_json(const json& from, CompileLimits& value);

}  // namespace harness
