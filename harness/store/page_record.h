#pragma once
#include "harness/core/page_record.h"

namespace harness::store {

/// The real PageRecord. A table is a file of store/pages/: "-- its title", then one SELECT in which :word stands for a
/// word of the address. `attempts` is made of its filters (page_attempts.h).
std::unique_ptr<PageRecord> open_page_record(const std::string& path, SqlReach reach);

/// The tables of store/pages/ and `attempts`.
std::vector<std::string> page_tables();

/// A word as a literal of SQL: a number where it is one of at most 15 digits, else a quoted text. Throws
/// Error(bad_input) where it holds a NUL character.
std::string sql_literal(const std::string& word);
/// A quoted text, whatever it looks like.
std::string sql_text(const std::string& word);

/// The statement with each :word replaced. Throws Error(bad_input) where one is not there.
std::string with_words(const std::string& sql, const PageWords& words);

}  // namespace harness::store
