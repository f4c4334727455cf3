#include "harness/store/page_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/core/error.h"

namespace harness::store {
namespace {

bool part_of_word(char c) {
  return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

std::string sql_literal(const std::string& word) {
  const bool digits = std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
  return digits && !word.empty() && word.size() <= 15 ? word : sql_text(word);
}

std::string sql_text(const std::string& word) {
  if (word.find('\0') != std::string::npos) throw bad_input("a word of the address holds a NUL character");
  std::string literal = "'";
  for (char c : word) literal += c == '\'' ? std::string("''") : std::string(1, c);
  return literal + "'";
}

std::string with_words(const std::string& sql, const PageWords& words) {
  std::string made;
  for (std::size_t at = 0; at < sql.size(); ++at) {
    const bool quoted = at > 0 && (part_of_word(sql[at - 1]) || sql[at - 1] == ':');
    if (sql[at] != ':' || quoted || at + 1 == sql.size() ||
        std::isalpha(static_cast<unsigned char>(sql[at + 1])) == 0) {
      made += sql[at];
      continue;
    }
    std::size_t end = at + 1;
    while (end < sql.size() && part_of_word(sql[end])) ++end;
    const std::string word = sql.substr(at + 1, end - at - 1);
    const auto value = words.find(word);
    if (value == words.end()) throw bad_input(fmt::format("the address lacks '{}'", word));
    made += sql_literal(value->second);
    at = end - 1;
  }
  return made;
}

}  // namespace harness::store
