#pragma once
#include <string>

#include "harness/core/page_record.h"

// Words of an address in statements.
namespace harness::store {

/// A word as a literal of SQL: a number where it is one of at most 15 digits, else a quoted text. Throws
/// Error(bad_input) where it holds a NUL character.
std::string sql_literal(const std::string& word);
/// A quoted text, whatever it looks like.
std::string sql_text(const std::string& word);

/// The statement with each :word replaced. Throws Error(bad_input) where one is not there.
std::string with_words(const std::string& sql, const PageWords& words);

}  // namespace harness::store
