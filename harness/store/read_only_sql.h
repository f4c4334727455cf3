#pragma once
#include <cstdint>
#include <string>

#include "harness/core/history.h"

namespace harness::store {

/// What a statement may read: everything, or the views that agents may know (agent_...).
enum class SqlReach { everything, agent_views };

struct SqlLimits {
  double seconds = 30;
  std::int64_t rows = -1;                  // stop after this many; negative: no limit
  std::int64_t bytes = 256 * 1024 * 1024;  // of text and blobs in the answer
  SqlReach reach = SqlReach::everything;
};

/// Answers one SELECT over the store at `path`. Read-only by construction, whatever the statement says: its own
/// connection is opened read-only, an authorizer allows reading and nothing else, values and patterns are short, and it
/// is stopped after its time. Throws Error(bad_input) with SQLite's message for a bad or refused statement.
SqlAnswer read_only_sql(const std::string& path, const std::string& sql, const SqlLimits& limits = {});

}  // namespace harness::store
