#pragma once
#include <string>

#include "harness/core/iteration_fields.h"
#include "harness/store/statement.h"

// SQL that is made from the table of an iteration's fields, and the values that it moves. Names in it are constants of
// this program.
namespace harness::store {

/// The names of the columns, ", " before each, with `prefix` ("i.") before the name: of the fields of an IterationRow,
/// or of those alone that an IterationSummary has.
std::string row_columns(const char* prefix);
std::string summary_columns(const char* prefix);

/// Binds the columns of row_columns from parameter `first` on; returns the next free one.
int bind_columns(Statement& statement, int first, const IterationRow& row);
/// Reads those of row_columns or summary_columns, which begin at column `first`; returns the next one.
int read_columns(const Statement& query, int first, IterationRow& row);
int read_columns(const Statement& query, int first, IterationSummary& summary);

}  // namespace harness::store
