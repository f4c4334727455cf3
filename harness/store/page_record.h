#pragma once
#include "harness/core/page_record.h"

namespace harness::store {

/// The real PageRecord. A table is a file of store/pages/: "-- its title", then one SELECT in which :word stands for a
/// word of the address. `attempts` is made of its filters (page_attempts.h).
std::unique_ptr<PageRecord> open_page_record(const std::string& path, SqlReach reach);

/// A table's title and its statement, with the words in it. Throws Error(bad_input): no such table, or a word is
/// missing.
struct PageSql {
  std::string title, sql;
};
PageSql page_sql(const std::string& name, const PageWords& words);

/// The tables of store/pages/ and `attempts`.
std::vector<std::string> page_tables();

}  // namespace harness::store
