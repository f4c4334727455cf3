#pragma once
#include <string>

#include "harness/core/page_record.h"

namespace harness::http {

/// {"title","sql","columns","rows","truncated"}
json table_json(const PageTable& table);
/// RFC 4180: a line of the columns' names, then a line a row; an unknown value is empty.
std::string table_csv(const SqlAnswer& answer);

}  // namespace harness::http
