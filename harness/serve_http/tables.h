#pragma once
#include <string>
#include <vector>

#include "harness/core/page_record.h"

namespace harness::http {

/// {"title","sql","columns","rows","truncated"}
json table_json(PageTable table);
/// The named tables of store/pages/, each as table_json.
json tables_json(PageRecord& pages, const std::vector<const char*>& names, const PageWords& words,
                 const SqlLimits& limits);
/// Adds what a view computed to the rows of a table: objects in an array, or under names, which become a column.
/// Objects within them become columns of their own, configurations alone do not.
void add_rows(json& rows, const json& computed);
SqlAnswer table_of(const json& rows);
/// RFC 4180: a line of the columns' names, then a line a row; an unknown value is empty.
std::string table_csv(const SqlAnswer& answer);
/// The same of a statement, whose rows are never all in memory.
std::string query_csv(PageRecord& pages, const std::string& sql, const SqlLimits& limits);

}  // namespace harness::http
