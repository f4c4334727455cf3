#include "harness/device/cuda/profile/ncu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>

#include "harness/core/error.h"
#include "harness/device/cuda/api/toolkit.h"
#include "harness/device/cuda/profile/counters.h"
#include "harness/system/run_program.h"

namespace harness::cuda {
namespace {

using Row = std::vector<std::string>;

/// A line of CSV whose cells may be quoted, with "" for a quote.
Row split(std::string_view line) {
  Row cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') cells.back() += line[++i];
    else if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) cells.emplace_back();
    else if (c != '\r') cells.back() += c;
  }
  return cells;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// What a unit is in the base unit of the table: bytes, nanoseconds, or itself.
double scale_of(const std::string& unit) {
  static const std::map<std::string, double> scales{
      {"Kbyte", 1e3},   {"Mbyte", 1e6}, {"Gbyte", 1e9},  {"usecond", 1e3}, {"us", 1e3},
      {"msecond", 1e6}, {"ms", 1e6},    {"second", 1e9}, {"s", 1e9},
  };
  const auto scale = scales.find(unit);
  return scale == scales.end() ? 1 : scale->second;
}

std::optional<double> value_of(std::string text, const std::string& unit) {
  std::erase(text, ',');
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') return std::nullopt;  // "n/a", "(!) nan"
  return value * scale_of(unit);
}

/// ncu's words about what went wrong, at most a few lines.
std::string complaint(std::string_view log) {
  std::string words;
  for (const std::string_view line : lines_of(log))
    if (line.starts_with("==ERROR==") || line.starts_with("==WARNING=="))
      words += (words.empty() ? "" : " ") + std::string(line);
  if (words.find("ERR_NVGPUCTRPERM") != std::string::npos)
    words += "; run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0";
  return words.empty() ? "its log has no table" : words.substr(0, 400);
}

struct Columns {
  std::size_t id = 0, kernel = 0, metric = 0, unit = 0, value = 0;
};

std::optional<Columns> find_columns(const Row& head) {
  const auto at = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(head, name) - head.begin());
  };
  const Columns columns{at("ID"), at("Kernel Name"), at("Metric Name"), at("Metric Unit"), at("Metric Value")};
  const bool all = std::max({columns.id, columns.kernel, columns.metric, columns.unit, columns.value}) < head.size();
  return all ? std::optional(columns) : std::nullopt;
}

}  // namespace

std::string find_ncu() {
  std::vector<std::string> folders;
  for (const std::string& root : toolkit_roots()) folders.push_back(root + "/bin");
  return harness::find_program("ncu", folders);
}

std::vector<std::string> ncu_command(const std::string& program, const std::string& log) {
  return {program,           "--csv", "--print-units",   "base",
          "--log-file",      log,     "--clock-control", "none",
          "--cache-control", "none",  "--metrics",       fmt::format("{}", fmt::join(counter_names(), ","))};
}

std::vector<NcuKernel> read_ncu(std::string_view log) {
  std::optional<Columns> columns;
  std::vector<NcuKernel> kernels;
  std::string last_id;
  for (const std::string_view line : lines_of(log)) {
    if (!line.starts_with('"')) continue;
    const Row row = split(line);
    if (!columns) {
      columns = find_columns(row);
      continue;
    }
    if (row.size() <= std::max({columns->id, columns->kernel, columns->metric, columns->unit, columns->value}))
      continue;
    if (kernels.empty() || row[columns->id] != last_id) kernels.push_back({row[columns->kernel], {}});
    last_id = row[columns->id];
    if (const auto value = value_of(row[columns->value], row[columns->unit]))
      add_counter(row[columns->metric], *value, kernels.back().numbers);
  }
  if (kernels.empty()) throw environment_error(fmt::format("ncu counted nothing: {}", complaint(log)));
  return kernels;
}

}  // namespace harness::cuda
