#include "harness/store/integrity.h"

#include <fmt/format.h>

#include "harness/core/hash.h"
#include "harness/store/chain.h"
#include "harness/store/statement.h"

namespace harness::store {
namespace {

constexpr std::size_t kMostDoubts = 20;

void check_pages(Connection& connection, std::vector<std::string>& wrong) {
  Statement query(connection, "PRAGMA integrity_check(20)");
  while (query.next())
    if (query.text(0) != "ok") wrong.push_back("SQLite finds: " + query.text(0));
}

void check_references(Connection& connection, std::vector<std::string>& wrong) {
  Statement query(connection, "PRAGMA foreign_key_check");
  while (query.next() && wrong.size() < kMostDoubts)
    wrong.push_back(fmt::format("row {} of {} refers to a row of {} that is not there", query.integer(1), query.text(0),
                                query.text(2)));
}

void check_texts(Connection& connection, const char* table, std::vector<std::string>& wrong) {
  Statement query(connection, fmt::format("SELECT hash, text FROM {}", table).c_str());
  while (query.next() && wrong.size() < kMostDoubts)
    if (sha256_hex(query.text(1)) != query.text(0))
      wrong.push_back(fmt::format("a text of {} is not the one that its key {} was made of", table, query.text(0)));
}

}  // namespace

std::vector<std::string> integrity(Store& store) {
  std::vector<std::string> wrong;
  check_pages(store.connection(), wrong);
  check_references(store.connection(), wrong);
  check_texts(store.connection(), "source", wrong);
  check_texts(store.connection(), "build_log", wrong);
  for (std::string& sentence : broken_links(store.connection())) wrong.push_back(std::move(sentence));
  return wrong;
}

}  // namespace harness::store
