#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/page_record.h"

// The pages, and the tables that each shows.
namespace harness::http {

/// What a page has besides tables.
enum class Detail { none, iteration, digest, comparison, difference, patterns, pattern, report, answer };

struct Page {
  const char* pattern;              // "/campaign/:campaign"; a word of the address begins with ":"
  std::vector<const char*> tables;  // of store/pages/; the first is the page's CSV
  Detail detail = Detail::none;
  bool shown = true;                     // has a view in the browser; else it is data for another page
  std::vector<const char*> listed = {};  // what of its detail is its CSV, as JSON pointers
  std::vector<const char*> behind = {};  // of store/pages/: not shown, but what its detail is made of
};

struct AskedPage {
  const Page* page = nullptr;
  PageWords words;   // of the address
  std::string form;  // "json", "csv", "sql"; "": the page itself
};

/// Nothing: there is no such page. `agents`: of what a session of agents may see.
std::optional<AskedPage> find_page(const std::string& path, bool agents);

const std::vector<Page>& pages();
const std::vector<Page>& agent_pages();

}  // namespace harness::http
