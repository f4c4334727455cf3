#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/report/table.h"

// Rows of the record as tables that fit where they are shown.
namespace harness::report {

/// One column of a table: a row's cell, and how soon the column gives way where there is no room.
struct ViewColumn {
  std::string name;  // the heading, and what --columns calls it
  int rank = 0;      // 0 stays; of the others the highest goes first
  std::function<Cell(const json& row)> cell;
  bool on_request = false;    // only with --wide or --columns
  bool elastic = false;       // may be cut short before a column goes
  std::size_t shortest = 16;  // an elastic column is not cut below this
  bool distinct = false;      // nor so far that names which differ become alike
};
using View = std::vector<ViewColumn>;

struct ViewChoice {
  std::vector<std::string> columns;  // by name, or a key of the rows; empty: what fits
  bool wide = false;                 // all of them, however wide
  std::optional<std::size_t> width;  // of the terminal; absent: no limit
};

struct ChosenTable {
  Table table;
  std::vector<std::string> left_out;  // columns for which there was no room
};

/// Columns that are empty in every row are left out unless they are asked for. Where there is no room, those that say
/// the same in every row go first, then by rank. Throws Error(bad_input), with the nearest name, for a column that
/// neither the view nor the rows have.
ChosenTable choose(const View& view, const json& rows, const ViewChoice& choice);

/// A workload's work by kernel and workload; nullopt: not known here.
using WorkOf = std::function<std::optional<Work>(const std::string& kernel, const std::string& workload)>;

/// For a table that is there already: a column of it, and the rows that choose() then wants.
ViewColumn table_column(const Table& table, std::size_t column, int rank, bool elastic, bool distinct = false);
json row_numbers(const Table& table);

// Times that were measured, emulated and predicted never stand in one column.
View iteration_view();
View best_view(const WorkOf& work);
View campaign_view();
/// The rows of `cost`; with `totals` shares of it are shown. The last row may be the totals themselves.
View cost_view(const json& totals);
View proposer_view();
/// Seconds, money and counts added up: {"seconds","usd","iterations","passed"}.
json cost_totals(const json& rows);
View compare_view();

/// "2026-11-22 14:05" of "2026-11-22 14:05:09".
std::string date(const json& text);
/// "614 TFLOP/s", or "3.2 TB/s" where there is nothing to calculate; "-": unknown.
std::string rate(const std::optional<Work>& work, std::optional<double> time_ns);
/// Null where the row is no object or lacks the key: an import may leave out whole parts of an iteration.
json value_in(const json& row, const char* key);
/// A row's name, number or text on one line, of bounded length.
std::string field(const json& row, const char* key);
std::optional<double> number_in(const json& row, const char* key);
/// "BLOCK=128 VEC=4".
std::string config_field(const json& row, const char* key = "config");

}  // namespace harness::report
