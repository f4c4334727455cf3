#pragma once
#include <sqlite3.h>

namespace harness::store {

/// Gives a connection printf() and format() that refuse a width or precision above 1,000: SQLite's own works through
/// 2,000,000,000 characters one by one, within one call, which no deadline interrupts.
void bound_printf(sqlite3* handle);

}  // namespace harness::store
