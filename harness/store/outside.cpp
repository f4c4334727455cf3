#include "harness/store/outside.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "harness/core/error.h"
#include "harness/store/statement.h"
#include "harness/system/files.h"

namespace harness::store {
namespace {

constexpr std::size_t kLongestText = 300;  // of a name or a method

struct OutsideFigure {
  std::string kernel, workload, program, method;
  double time_ns = 0;
};

std::string text_in(const json& from, const char* key) {
  const json found = from.is_object() ? from.value(key, json()) : json();
  if (!found.is_string() || found.get_ref<const std::string&>().empty())
    throw bad_input(fmt::format("\"{}\" is missing, or is no text", key));
  if (found.get_ref<const std::string&>().size() > kLongestText)
    throw bad_input(fmt::format("\"{}\" is longer than {} characters", key, kLongestText));
  return found;
}

OutsideFigure figure_of(const json& line) {
  const json& time = line.at("time_us");
  if (!time.is_number() || !std::isfinite(time.get<double>()) || time.get<double>() <= 0)
    throw bad_input("\"time_us\" is no number above 0");
  return {text_in(line, "kernel"), text_in(line, "workload"), text_in(line, "program"), text_in(line, "method"),
          1e3 * time.get<double>()};
}

std::string day_in(const json& file) {
  constexpr std::string_view form = "dddd-dd-dd";
  std::string found = text_in(file, "date");
  if (!std::ranges::equal(found, form, [](char c, char f) { return f == 'd' ? c >= '0' && c <= '9' : c == f; }))
    throw bad_input("\"date\" is no day such as 2026-11-25");
  return found;
}

std::int64_t add(Connection& connection, const OutsideFigure& figure, const std::string& device,
                 const std::string& day) {
  Statement insert(connection,
                   "INSERT OR IGNORE INTO outside_figure (kernel, workload, device_name, program, time_ns, method, "
                   "measured) VALUES (?, ?, ?, ?, ?, ?, ?)",
                   figure.kernel, figure.workload, device, figure.program, figure.time_ns, figure.method, day);
  insert.run();
  return connection.database().getChanges();
}

std::int64_t add_all(Connection& connection, const json& file) {
  const std::string device = text_in(file, "device"), day = day_in(file);
  const json lines = file.value("results", json());
  if (!lines.is_array()) throw bad_input("\"results\" is missing, or is no list");
  std::int64_t added = 0;
  std::size_t number = 0;
  for (const json& line : lines) {
    ++number;
    try {
      if (line.is_object() && !line.contains("time_us")) continue;
      if (!line.is_object()) throw bad_input("this is no object");
      added += add(connection, figure_of(line), device, day);
    } catch (const Error& error) {
      throw bad_input(fmt::format("result {}: {}", number, error.what()));
    }
  }
  return added;
}

}  // namespace

std::int64_t import_outside(Store& store, const std::string& file) {
  const json parsed = parse_json_if_valid(read_file(file, Error::Kind::bad_input));
  if (parsed.is_discarded()) throw bad_input(fmt::format("{} is no JSON", file));
  Connection& connection = store.connection();
  try {
    SQLite::Transaction transaction(connection.database(), SQLite::TransactionBehavior::IMMEDIATE);
    const std::int64_t added = add_all(connection, parsed);
    transaction.commit();
    return added;
  } catch (const Error& error) {
    throw bad_input(fmt::format("{}: {}; nothing was imported", file, error.what()));
  }
}

}  // namespace harness::store
