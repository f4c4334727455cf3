#pragma once
#include <string>

#include "harness/core/page_record.h"

namespace harness::store {

/// The statement behind the table of attempts. Words that are filters (all hold together; each a list with commas, *
/// and ? as wildcards): campaign, kernel, workload, variant, technique, outcome, verdict, purpose, class, device.
/// `text`: in the variant, the configuration or the message. `sort`: a column, with - before it the largest first; rows
/// that lack it are left out. `after`: the last row's number, `after_value` its value of the sorted column: what
/// follows. `limit`: at most 1,000 rows. Which rows these are is found first, over indexes; only then are they read in
/// full. Throws Error(bad_input) for an unknown column.
std::string attempts_sql(const PageWords& words);

}  // namespace harness::store
