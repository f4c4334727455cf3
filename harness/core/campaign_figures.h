#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/json.h"

namespace harness {

/// One table about a campaign, and the query that made it. Values are plain: whoever draws it needs no store.
struct Figure {
  std::string name;   // "staircase"
  std::string title;  // one line, for people
  std::string sql;    // one SELECT for `harness query`, the campaign's number in it
  std::vector<std::string> columns;
  json rows = json::array();  // arrays of values in the order of the columns
  bool truncated = false;     // there are more rows than a report shows
  bool left_out = false;      // reading it would have taken too long

  /// The value of a row in a column; null where there is no such column.
  const json& at(const json& row, const std::string& column) const;
};

/// What a report of one campaign is made of, for any writer: text, Markdown, HTML, a server.
struct CampaignFigures {
  std::int64_t campaign = 0;
  std::string uuid;   // the campaign's own, the same in every store
  std::string store;  // the file that was asked
  std::vector<Figure> figures;

  /// An empty one where the name is unknown.
  const Figure& of(const std::string& name) const;
};

}  // namespace harness
