#include <fmt/format.h>

#include <limits>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/store/columns.h"

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
              "INSERT INTO gate_result (iteration, position, name, passed, detail, checked) VALUES (?, ?, ?, ?, ?, ?)",
              iteration, position++, gate.name, gate.passed, gate.detail, gate.checked)
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
  Statement query(connection,
                  "SELECT name, passed, detail, checked FROM gate_result WHERE iteration = ? ORDER BY position",
                  iteration);
  while (query.next()) gates.push_back({query.text(0), query.flag(1), query.text(2), query.flag(3)});
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

void read_times(const Statement& query, int column, IterationRow& row) {
  for (std::optional<double>* time :
       {&row.time_ns, &row.time_lo_ns, &row.time_hi_ns, &row.cold_ns, &row.warm_ns, &row.baseline_ns, &row.speedup,
        &row.speedup_lo, &row.speedup_hi, &row.incumbent_ns, &row.floor_ns, &row.threshold_ns, &row.stopped_ns}) {
    *time = query.maybe_real(column++);
  }
}

void read_cost(const Statement& query, int column, StageCosts& cost) {
  for (double* seconds :
       {&cost.decide_s, &cost.prepare_s, &cost.build_s, &cost.gates_s, &cost.timing_s, &cost.idle_s, &cost.wall_s}) {
    *seconds = query.real(column++);
  }
  cost.usd = query.maybe_real(column);
}

void read_result(const Statement& query, int column, IterationRow& row) {
  row.ended_unix = query.real(column);
  row.outcome = query.text(column + 1);
  row.confirmed = query.flag(column + 2);
  row.verdict = query.maybe_text(column + 3);
  row.emulation = query.flag(column + 4);
  row.calls_per_sample = query.maybe_integer(column + 5);
  row.input_sets = query.maybe_integer(column + 6);
  row.method = query.maybe_text(column + 7);
  row.error = query.parsed(column + 8);
  row.fingerprint = query.text(column + 9);
  row.same_as = query.maybe_integer(column + 10);
}

void read_build(const Statement& query, int column, IterationRow& row) {
  row.binary_hash = query.text(column);
  row.compiler = query.text(column + 1);
  row.from_cache = query.flag(column + 2);
  row.registers = query.maybe_integer(column + 3);
  row.shared_bytes = query.maybe_integer(column + 4);
  row.spill_bytes = query.maybe_integer(column + 5);
  row.local_bytes = query.maybe_integer(column + 6);
  row.source_key = query.maybe_text(column + 7);
  row.log_key = query.maybe_text(column + 8);
  row.seeds = numbers<std::uint64_t>(query.parsed(column + 9));
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

constexpr int kResult = 13, kTimes = kResult + 11, kBuild = kTimes + 13, kCost = kBuild + 10, kLabel = kCost + 8,
              kCard = kLabel + 2;
constexpr const char* kReadIteration =
    "SELECT i.id, i.campaign, c.kernel, c.variant, c.technique, c.config, i.workload, i.purpose, p.device, "
    "c.contract_hash, c.source_hash, i.attempt, a.decision, "
    "i.ended_unix, i.outcome, i.confirmed, i.verdict, i.emulation, i.calls_per_sample, i.input_sets, i.method, "
    "i.error, "
    "i.fingerprint, i.same_as, "
    "i.time_ns, i.time_lo_ns, i.time_hi_ns, i.cold_ns, i.warm_ns, i.baseline_ns, i.speedup, i.speedup_lo, "
    "i.speedup_hi, "
    "i.incumbent_ns, i.floor_ns, i.threshold_ns, i.stopped_ns, "
    "b.hash, b.compiler, i.from_cache, i.registers, i.shared_bytes, i.spill_bytes, i.local_bytes, i.source, "
    "i.build_log, "
    "i.seeds, i.decide_s, i.prepare_s, i.build_s, i.gates_s, i.timing_s, i.idle_s, i.wall_s, i.usd, a.label, "
    "a.parent, a.node, a.device_uuid, i.anchor_ns "
    "FROM iteration i JOIN attempt a ON a.id = i.attempt JOIN candidate c ON c.id = i.candidate "
    "JOIN campaign p ON p.id = i.campaign LEFT JOIN binary b ON b.id = i.binary WHERE i.id = ?";

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
  const std::optional<std::string> error = row.error.is_null() ? std::nullopt : std::optional(json_text(row.error));
  const json shown = shown_error(row);
  const StageCosts& cost = row.cost;
  Statement(
      connection,
      "INSERT INTO iteration (attempt, campaign, candidate, kernel, workload, purpose, ended_unix, outcome, confirmed, "
      "time_ns, time_lo_ns, time_hi_ns, cold_ns, warm_ns, baseline_ns, speedup, speedup_lo, speedup_hi, incumbent_ns, "
      "floor_ns, verdict, emulation, calls_per_sample, input_sets, method, error, fingerprint, threshold_ns, "
      "stopped_ns, "
      "same_as, binary, from_cache, registers, shared_bytes, spill_bytes, local_bytes, source, build_log, seeds, "
      "decide_s, prepare_s, build_s, gates_s, timing_s, idle_s, wall_s, usd, "
      "error_class, error_message, anchor_ns) "
      "SELECT a.id, a.campaign, c.id, c.kernel, a.workload, a.purpose, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, "
      "?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, "
      "?36, ?37, ?38, ?39, ?40, ?41, ?42, ?43, ?44, ?45, ?46 "
      "FROM attempt a JOIN candidate c ON c.id = iif(?2 > 0, ?2, a.candidate) WHERE a.id = ?1",
      attempt, candidate, row.ended_unix, row.outcome, row.confirmed, row.time_ns, row.time_lo_ns, row.time_hi_ns,
      row.cold_ns, row.warm_ns, row.baseline_ns, row.speedup, row.speedup_lo, row.speedup_hi, row.incumbent_ns,
      row.floor_ns, row.verdict, row.emulation, row.calls_per_sample, row.input_sets, row.method, error,
      row.fingerprint, row.threshold_ns, row.stopped_ns, row.same_as, intern_binary(connection, row), row.from_cache,
      row.registers, row.shared_bytes, row.spill_bytes, row.local_bytes, row.source_key, row.log_key,
      json_text(row.seeds), cost.decide_s, cost.prepare_s, cost.build_s, cost.gates_s, cost.timing_s, cost.idle_s,
      cost.wall_s, cost.usd, word(shown, "class"), word(shown, "message"), row.anchor_ns)
      .run();
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
    Statement query(connection, kReadIteration, id);
    if (!query.next()) {
      throw bad_input(fmt::format("there is no iteration {} in the store {}; `harness history` lists what there is", id,
                                  connection.path()));
    }
    found.attempt = read_identity(query, found.identity);
    decision = query.integer(12);
    read_result(query, kResult, found.row);
    read_times(query, kTimes, found.row);
    read_build(query, kBuild, found.row);
    read_cost(query, kCost, found.row.cost);
    found.identity.label = query.maybe_text(kLabel);
    found.identity.node = query.maybe_text(kCard);
    found.identity.device_uuid = query.maybe_text(kCard + 1);
    found.row.anchor_ns = query.maybe_real(kCard + 2);
    found.identity.parent = query.maybe_text(kLabel + 1);
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
