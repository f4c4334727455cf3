#include <fmt/format.h>

#include <limits>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/store/columns.h"
#include "harness/store/iteration_sql.h"

namespace harness::store {
namespace {

std::optional<std::int64_t> intern_binary(Connection& connection, const IterationRow& row) {
  if (row.binary_hash.empty()) return std::nullopt;
  {
    Statement known(connection, "SELECT id FROM binary WHERE hash = ? AND compiler = ?", row.binary_hash, row.compiler);
    if (known.next()) return known.integer(0);
  }
  Statement(connection, "INSERT INTO binary (hash, compiler) VALUES (?, ?)", row.binary_hash, row.compiler).run();
  return connection.database().getLastInsertRowid();
}

std::optional<std::string> word(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return std::nullopt;
  return object[key].get<std::string>();
}

void insert_gates(Connection& connection, std::int64_t iteration, const std::vector<GateResult>& gates) {
  std::int64_t position = 0;
  for (const GateResult& gate : gates) {
    Statement(connection,
              "INSERT INTO gate_result (iteration, position, name, passed, detail, checked, seconds) "
              "VALUES (?, ?, ?, ?, ?, ?, ?)",
              iteration, position++, gate.name, gate.passed, gate.detail, gate.checked, gate.seconds)
        .run();
  }
}

void insert_errors(Connection& connection, std::int64_t iteration, const std::vector<ArgumentError>& errors) {
  std::int64_t position = 0;
  for (const ArgumentError& error : errors) {
    Statement(connection, "INSERT INTO argument_error VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", iteration, position++,
              error.argument, error.relative_l2, error.max_ulp, json_text(error.ulp_histogram), error.non_finite,
              error.unwritten, error.mismatches, error.tolerance)
        .run();
  }
}

void insert_samples(Connection& connection, std::int64_t iteration, const IterationRow& row) {
  for (const auto& [kind, series] : row.samples) {
    Statement(connection, "INSERT INTO sample VALUES (?, ?, ?)", iteration, kind, json_text(series)).run();
  }
}

std::vector<GateResult> read_gates(Connection& connection, std::int64_t iteration) {
  std::vector<GateResult> gates;
  Statement query(
      connection,
      "SELECT name, passed, detail, checked, seconds FROM gate_result WHERE iteration = ? ORDER BY position",
      iteration);
  while (query.next())
    gates.push_back({query.text(0), query.flag(1), query.text(2), query.flag(3), query.maybe_real(4)});
  return gates;
}

/// The elements of a stored JSON array that are numbers.
template <typename T>
std::vector<T> numbers(const json& list) {
  std::vector<T> result;
  for (const json& item : list)
    if (item.is_number()) result.push_back(item.get<T>());
  return result;
}

std::vector<ArgumentError> read_errors(Connection& connection, std::int64_t iteration) {
  constexpr double kNotFinite = std::numeric_limits<double>::quiet_NaN();
  std::vector<ArgumentError> errors;
  Statement query(connection,
                  "SELECT argument, relative_l2, max_ulp, ulp_histogram, non_finite, unwritten, mismatches, tolerance "
                  "FROM argument_error WHERE iteration = ? ORDER BY position",
                  iteration);
  while (query.next()) {
    errors.push_back({.argument = query.text(0),
                      .relative_l2 = query.maybe_real(1).value_or(kNotFinite),
                      .max_ulp = query.integer(2),
                      .ulp_histogram = numbers<std::int64_t>(query.parsed(3)),
                      .non_finite = query.integer(4),
                      .unwritten = query.integer(5),
                      .mismatches = query.integer(6),
                      .tolerance = query.maybe_real(7).value_or(kNotFinite)});
  }
  return errors;
}

void read_samples(Connection& connection, std::int64_t iteration, IterationRow& row) {
  Statement query(connection, "SELECT kind, series FROM sample WHERE iteration = ?", iteration);
  while (query.next()) row.samples[query.text(0)] = numbers<double>(query.parsed(1));
}

json read_decision(Connection& connection, std::int64_t id) {
  if (id == 0) return nullptr;
  Statement query(
      connection,
      "SELECT action, why, rule, predict_speedup_lo, predict_speedup_hi, predict_evaluations, "
      "predict_probability, predict_minutes_lo, predict_minutes_hi, rule_numbers, patterns FROM decision WHERE id = ?",
      id);
  if (!query.next()) return nullptr;
  Decision decision;
  decision.action = named<Action>(query.text(0));
  decision.why = query.text(1);
  decision.rule = query.maybe_text(2);
  decision.predict = {query.real(3),       query.real(4),       static_cast<int>(query.integer(5)),
                      query.maybe_real(6), query.maybe_real(7), query.maybe_real(8)};
  if (!query.null(9)) decision.rule_numbers = query.parsed(9);
  json object = decision_json(decision);
  object["patterns"] = query.parsed(10);
  return object;
}

std::int64_t read_identity(const Statement& query, IterationIdentity& identity) {
  identity.iteration = query.integer(0);
  identity.campaign = query.integer(1);
  identity.candidate = {query.text(2), query.text(3), query.text(4), config_from_json(query.parsed(5))};
  identity.workload = query.text(6);
  identity.purpose = named<Purpose>(query.text(7));
  identity.device = query.text(8);
  identity.contract_hash = query.text(9);
  identity.source_hash = query.text(10);
  return query.integer(11);
}

constexpr int kOfAttempt = 13, kFields = kOfAttempt + 6;  // the first columns of each part

std::string read_sql() {
  return "SELECT i.id, i.campaign, c.kernel, c.variant, c.technique, c.config, i.workload, i.purpose, p.device, "
         "c.contract_hash, c.source_hash, i.attempt, a.decision, b.hash, b.compiler, a.label, a.parent, a.node, "
         "a.device_uuid" +
         row_columns("i.") +
         " FROM iteration i JOIN attempt a ON a.id = i.attempt JOIN candidate c ON c.id = i.candidate "
         "JOIN campaign p ON p.id = i.campaign LEFT JOIN binary b ON b.id = i.binary WHERE i.id = ?";
}

std::string insert_sql() {
  std::string values;
  const std::string columns = row_columns("");
  int parameter = 3;
  for (const char c : columns) values += c == ',' ? fmt::format(", ?{}", parameter++) : "";
  return fmt::format(
      "INSERT INTO iteration (attempt, campaign, candidate, kernel, workload, purpose{0}, binary, error_class, "
      "error_message) SELECT a.id, a.campaign, c.id, c.kernel, a.workload, a.purpose{1}, ?{2}, ?{3}, ?{4} "
      "FROM attempt a JOIN candidate c ON c.id = iif(?2 > 0, ?2, a.candidate) WHERE a.id = ?1",
      columns, values, parameter, parameter + 1, parameter + 2);
}

std::optional<std::string> read_text(Connection& connection, const char* sql, const std::optional<std::string>& key) {
  if (!key) return std::nullopt;
  Statement query(connection, sql, *key);
  return query.next() ? query.maybe_text(0) : std::nullopt;
}

}  // namespace

std::string intern_text(Connection& connection, const char* sql, const std::string& text) {
  const std::string key = sha256_hex(text);
  Statement(connection, sql, key, text).run();
  return key;
}

std::int64_t insert_iteration(Connection& connection, std::int64_t attempt, std::int64_t candidate,
                              const IterationRow& row) {
  static const std::string sql = insert_sql();
  const json shown = shown_error(row);
  const std::optional<std::int64_t> binary = intern_binary(connection, row);
  {
    Statement insert(connection, sql.c_str(), attempt, candidate);
    int parameter = bind_columns(insert, 3, row);
    insert.bind(parameter++, binary);
    insert.bind(parameter++, word(shown, "class"));
    insert.bind(parameter, word(shown, "message"));
    insert.run();
  }
  const std::int64_t id = connection.database().getLastInsertRowid();
  insert_gates(connection, id, row.gates);
  insert_errors(connection, id, row.errors);
  insert_samples(connection, id, row);
  return id;
}

RecordedIteration read_iteration(Connection& connection, std::int64_t id, Texts texts) {
  RecordedIteration found;
  std::int64_t decision = 0;
  {
    static const std::string sql = read_sql();
    Statement query(connection, sql.c_str(), id);
    if (!query.next()) {
      throw bad_input(fmt::format("there is no iteration {} in the store {}; `harness history` lists what there is", id,
                                  connection.path()));
    }
    found.attempt = read_identity(query, found.identity);
    decision = query.integer(12);
    found.row.binary_hash = query.text(kOfAttempt);
    found.row.compiler = query.text(kOfAttempt + 1);
    found.identity.label = query.maybe_text(kOfAttempt + 2);
    found.identity.parent = query.maybe_text(kOfAttempt + 3);
    found.identity.node = query.maybe_text(kOfAttempt + 4);
    found.identity.device_uuid = query.maybe_text(kOfAttempt + 5);
    read_columns(query, kFields, found.row);
  }
  found.identity.decision = read_decision(connection, decision);
  found.row.gates = read_gates(connection, id);
  found.row.errors = read_errors(connection, id);
  read_samples(connection, id, found.row);
  if (texts != Texts::none) {
    found.row.log = read_text(connection, "SELECT text FROM build_log WHERE hash = ?", found.row.log_key);
  }
  if (texts == Texts::all) {
    found.row.source = read_text(connection, "SELECT text FROM source WHERE hash = ?", found.row.source_key);
  }
  return found;
}

}  // namespace harness::store
