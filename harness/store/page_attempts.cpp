#include "harness/store/page_attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/store/page_words.h"

namespace harness::store {
namespace {

struct AttemptFilter {
  const char* word;
  const char* column;
};

constexpr AttemptFilter kAttemptFilters[] = {
    {"campaign", "i.campaign"},   {"kernel", "i.kernel"},     {"workload", "i.workload"}, {"variant", "c.variant"},
    {"technique", "c.technique"}, {"outcome", "i.outcome"},   {"verdict", "i.verdict"},   {"purpose", "i.purpose"},
    {"class", "i.error_class"},   {"device", "p.device_name"}};

// What a table may be sorted by, and where it is.
constexpr AttemptFilter kAttemptOrders[] = {{"iteration", "i.id"},
                                            {"time_ns", "i.time_ns"},
                                            {"speedup", "i.speedup"},
                                            {"of_floor", "i.floor_ns / i.time_ns"},
                                            {"registers", "i.registers"},
                                            {"wall_s", "i.wall_s"},
                                            {"usd", "i.usd"},
                                            {"ended_unix", "i.ended_unix"},
                                            {"kernel", "i.kernel"},
                                            {"workload", "i.workload"},
                                            {"variant", "c.variant"},
                                            {"technique", "c.technique"},
                                            {"outcome", "i.outcome"},
                                            {"spill_bytes", "i.spill_bytes"},
                                            {"shared_bytes", "i.shared_bytes"}};

std::string word_or(const PageWords& words, const std::string& name, const std::string& otherwise = "") {
  const auto found = words.find(name);
  return found == words.end() ? otherwise : found->second;
}

std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    if (comma > at) parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

/// One of the names; a name with a wildcard is matched.
std::string among(const std::string& column, const std::string& text) {
  std::string plain, either;
  for (const std::string& name : listed(text)) {
    if (name.find_first_of("*?[") == std::string::npos) plain += (plain.empty() ? "" : ", ") + sql_literal(name);
    else either += fmt::format("{}{} GLOB {}", either.empty() ? "" : " OR ", column, sql_text(name));
  }
  if (!plain.empty()) either = fmt::format("{} IN ({}){}{}", column, plain, either.empty() ? "" : " OR ", either);
  return either.empty() ? "1" : "(" + either + ")";
}

std::string contains(const std::string& text) {
  std::string pattern;
  for (char c : text.substr(0, 100))
    pattern += c == '%' || c == '_' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  const std::string literal = sql_literal("%" + pattern + "%");
  return fmt::format(
      "(i.candidate IN (SELECT k.id FROM candidate k WHERE k.variant LIKE {0} ESCAPE '\\' OR k.config LIKE {0} ESCAPE "
      "'\\')\n    OR i.id IN (SELECT m.id FROM iteration m INDEXED BY iteration_messages WHERE m.error_message IS NOT "
      "NULL AND m.error_message LIKE {0} ESCAPE '\\'))",
      literal);
}

struct AttemptOrder {
  std::string expression;
  bool descending = true, by_number = true;
};

AttemptOrder attempt_order(const std::string& sort) {
  const bool descending = sort.starts_with("-");
  const std::string name = descending ? sort.substr(1) : sort;
  const auto* const found =
      std::ranges::find_if(kAttemptOrders, [&](const AttemptFilter& order) { return name == order.word; });
  if (found == std::end(kAttemptOrders)) {
    std::vector<std::string> known;
    for (const AttemptFilter& order : kAttemptOrders) known.emplace_back(order.word);
    throw bad_input(fmt::format("attempts are not sorted by '{}'{}", name, did_you_mean(name, known)));
  }
  return {found->column, descending, name == "iteration"};
}

/// What comes behind the row `after` in this order.
std::string behind(const AttemptOrder& order, const PageWords& words) {
  const std::string after = word_or(words, "after"), value = word_or(words, "after_value");
  if (after.empty()) return "1";
  const char* const sign = order.descending ? "<" : ">";
  if (order.by_number) return fmt::format("i.id {} {}", sign, sql_literal(after));
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  const bool is_number = !value.empty() && *end == '\0' && std::isfinite(number);
  return fmt::format("({0}, i.id) {1} ({2}, {3})", order.expression, sign,
                     is_number ? fmt::format("{:.17g}", number) : sql_text(value), sql_literal(after));
}

std::int64_t row_limit(const PageWords& words) {
  const std::string text = word_or(words, "limit", "100");
  if (text.empty() || text.size() > 4 || text.find_first_not_of("0123456789") != std::string::npos)
    throw bad_input(fmt::format("limit is '{}'; give a number from 1 to 1000", text));
  return std::clamp<std::int64_t>(std::stoll(text), 1, 1000);
}

constexpr const char* kAttemptColumns =
    "i.id AS iteration, i.campaign, i.kernel, i.workload, c.variant, c.technique, c.config, i.purpose, i.outcome, "
    "i.verdict, i.time_ns, i.time_lo_ns, i.time_hi_ns, i.speedup, i.speedup_lo, i.speedup_hi, i.floor_ns / i.time_ns "
    "AS of_floor, "
    "i.confirmed, i.emulation, i.registers, i.shared_bytes, i.spill_bytes, i.wall_s, i.usd, i.error_class, "
    "substr(i.error_message, 1, 400) AS error_message, a.node, a.label, p.device_name, "
    "strftime('%Y-%m-%d %H:%M:%S', i.ended_unix, 'unixepoch') AS ended, i.ended_unix";

}  // namespace

std::string attempts_sql(const PageWords& words) {
  const AttemptOrder order = attempt_order(word_or(words, "sort", "-iteration"));
  std::string where = behind(order, words);
  if (!order.by_number) where += fmt::format(" AND {} IS NOT NULL", order.expression);
  for (const AttemptFilter& filter : kAttemptFilters) {
    const std::string text = word_or(words, filter.word);
    if (!text.empty()) where += " AND " + among(filter.column, text);
  }
  const std::string text = word_or(words, "text");
  if (!text.empty()) where += " AND " + contains(text);
  const char* const direction = order.descending ? "DESC" : "ASC";
  const std::string sorted = order.by_number ? fmt::format("i.id {}", direction)
                                             : fmt::format("{0} {1}, i.id {1}", order.expression, direction);
  // The joins that finding the rows needs; one too many does no harm.
  const bool candidate = (where + sorted).find("c.") != std::string::npos;
  const bool campaign = where.find("p.") != std::string::npos;
  // Sorted by something of the candidate, and every candidate will do: by its index, to the rows that are shown.
  const bool by_candidate = sorted.starts_with("c.") && where.find("i.") == std::string::npos && !campaign;
  return fmt::format(
      "WITH page AS (\n  SELECT i.id FROM {}{}\n  WHERE {}\n  ORDER BY {} LIMIT {})\n"
      "SELECT {}\nFROM page JOIN iteration i ON i.id = page.id JOIN attempt a ON a.id = i.attempt\n"
      "JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign\nORDER BY {}",
      by_candidate ? "candidate c CROSS JOIN iteration i ON i.candidate = c.id"
      : candidate  ? "iteration i JOIN candidate c ON c.id = i.candidate"
                   : "iteration i",
      campaign ? " JOIN campaign p ON p.id = i.campaign" : "", where, sorted, row_limit(words), kAttemptColumns,
      sorted);
}

}  // namespace harness::store
