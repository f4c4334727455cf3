#pragma once
#include <chrono>
#include <memory>
#include <string>

#include "harness/core/page_record.h"
#include "harness/store/connection.h"

namespace harness::store {

/// Questions to the store at a path, one SELECT each. Read-only by construction, whatever a statement says: a
/// connection of its own is opened read-only, an authorizer allows reading and nothing else, values and patterns are
/// short, and a statement is stopped after its time.
class ReadOnlySql {
 public:
  explicit ReadOnlySql(const std::string& path, SqlReach reach = SqlReach::everything);
  ~ReadOnlySql();
  ReadOnlySql(const ReadOnlySql&) = delete;
  ReadOnlySql& operator=(const ReadOnlySql&) = delete;

  /// Throws Error(bad_input) with SQLite's message for a bad or refused statement. `limits.reach` is the session's.
  /// `take`: is handed each row, which is not kept then.
  SqlAnswer ask(const std::string& sql, const SqlLimits& limits, const PageRecord::TakeRow& take = {});

 private:
  struct AgentViews;
  void refuse_moved();
  void confine_statements();

  SqlReach reach_;
  std::unique_ptr<AgentViews> views_;  // before the connection, whose authorizer reads it
  std::chrono::steady_clock::time_point deadline_;
  Connection connection_;
};

/// One question.
SqlAnswer read_only_sql(const std::string& path, const std::string& sql, const SqlLimits& limits = {});

}  // namespace harness::store
