#pragma once
#include <cstdint>
#include <string>

#include "harness/core/strategy.h"

namespace harness {

/// Seconds since 1970 as hour, minute and weekday in a zone that lies `utc_offset_s` east of UTC. Pure: a replay tells
/// a script the same hour, wherever it runs.
Moment moment_at(std::int64_t unix_seconds, const std::string& zone, int utc_offset_s);

}  // namespace harness
