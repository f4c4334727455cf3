#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "harness/core/history.h"

// What a live page asks of a store: many small questions, over one connection that can do nothing but read.
namespace harness {

/// What a statement may read: everything, or the views that agents may know (agent_...).
enum class SqlReach { everything, agent_views };

struct SqlLimits {
  double seconds = 30;
  std::int64_t rows = -1;                  // stop after this many; negative: no limit
  std::int64_t bytes = 256 * 1024 * 1024;  // of text and blobs in the answer
  SqlReach reach = SqlReach::everything;
};

/// Names and values as they stand in an address: "campaign" -> "2".
using PageWords = std::map<std::string, std::string>;

/// One table of a page.
struct PageTable {
  std::string title;
  std::string sql;  // with the values in it: `harness query` answers it too
  SqlAnswer answer;
};

/// Port to a store that is read only. Not thread-safe: one thread at a time.
class PageRecord {
 public:
  virtual ~PageRecord() = default;
  /// Throws Error(bad_input) for an unknown table, a missing or wrong word, and what takes longer than its time.
  virtual PageTable table(const std::string& name, const PageWords& words, const SqlLimits& limits) = 0;
  /// One SELECT, which can do nothing but read.
  SqlAnswer query(const std::string& sql, const SqlLimits& limits) { return query(sql, limits, {}); }
  /// The same with each row, an array, handed to `take` instead of kept. Its strings may be moved from.
  using TakeRow = std::function<void(json& row)>;
  virtual SqlAnswer query(const std::string& sql, const SqlLimits& limits, const TakeRow& take) = 0;
};

}  // namespace harness
