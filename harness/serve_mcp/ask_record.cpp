#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/serve_mcp/harness_tools.h"
#include "harness/serve_mcp/times.h"
#include "harness/serve_mcp/veil.h"

// What is recorded, as far as an agent may know it.
namespace harness::mcp {
namespace {

constexpr std::size_t kLongestNote = 2000;

/// The columns of a row of the record that agents see.
Answer shown_row(const json& row, std::initializer_list<const char*> columns) {
  Answer shown = Answer::object();
  for (const char* column : columns)
    if (row.contains(column) && !row.at(column).is_null()) shown[column] = row.at(column);
  const json emulated = row.value("emulation", json());
  return with_kind_of_times(shown, row.value("device", ""), emulated == true || emulated == 1);
}

Answer shown_rows(const json& rows, std::initializer_list<const char*> columns) {
  Answer all = Answer::array();
  for (const json& row : rows) all.push_back(shown_row(row, columns));
  return all;
}

Answer job_row(const AgentJob& job) {
  Answer row = {{"job", job.id}, {"kind", job.kind}, {"state", std::string(name(job.state))}};
  for (const char* key : {"kernel", "variant", "workload", "label"})
    if (job.request.contains(key) && !job.request[key].is_null()) row[key] = job.request[key];
  return row;
}

}  // namespace

Answer HarnessTools::best(const Arguments& arguments) {
  HistoryFilter filter;
  filter.kernel = arguments.maybe_text("kernel");
  if (filter.kernel) catalog().kernel(*filter.kernel);
  const Answer rows = shown_rows(archive().history().best(filter),
                                 {"kernel", "workload", "variant", "config", "speedup", "time_ns", "of_floor",
                                  "of_limit", "device_name", "confirmed", "emulation", "iteration", "label"});
  return {{"ok", true},
          {"best", rows},
          {"next", rows.empty() ? "nothing was evaluated yet: evaluate the baseline"
                                : "read its source: the resource "
                                  "harness://iteration/N/source"}};
}

Answer HarnessTools::history(const Arguments& arguments) {
  HistoryFilter filter;
  filter.kernel = arguments.maybe_text("kernel");
  filter.workload = arguments.maybe_text("workload");
  filter.variant = arguments.maybe_text("variant");
  filter.outcome = arguments.maybe_text("outcome");
  filter.limit = arguments.within("limit", 15, 1, 50);
  if (arguments.has("session") && arguments.value("session") == true) filter.campaign = session().campaign;
  json rows = json::array();
  for (const json& row : archive().history().iterations(filter))
    if (row.value("purpose", "") != "confirm") rows.push_back(row);
  return {{"ok", true},
          {"iterations", shown_rows(rows, {"iteration", "kernel", "workload", "variant", "config", "outcome", "speedup",
                                           "time_ns", "verdict", "error_class", "label", "ended"})},
          {"next", "compare two of them; the resource harness://iteration/N has one in full"}};
}

Answer HarnessTools::query(const Arguments& arguments) {
  const SqlAnswer found = archive().sessions().agent_query(arguments.text("sql"));
  Answer answer = {{"ok", true}, {"columns", found.columns}, {"rows", found.rows}, {"truncated", found.truncated}};
  answer["next"] = found.truncated ? "200 rows at most; narrow the statement" : "";
  return answer;
}

Answer HarnessTools::similar_attempts(const Arguments& arguments) {
  AttemptLikeness likeness;
  likeness.kernel = arguments.text("kernel");
  likeness.workload = arguments.maybe_text("workload");
  likeness.variant = arguments.maybe_text("variant");
  likeness.technique = arguments.maybe_text("technique");
  likeness.fingerprint = arguments.maybe_text("fingerprint");
  likeness.outcome = arguments.maybe_text("outcome");
  likeness.config = arguments.config("parameters");
  likeness.limit = arguments.within("limit", 10, 1, 30);
  const json found = archive().sessions().similar_attempts(likeness);
  Answer notes = Answer::array();
  for (const AgentNote& each : archive().sessions().notes(likeness.kernel, 5)) notes.push_back(each.text);
  return {{"ok", true},
          {"techniques", found.at("techniques")},
          {"attempts",
           shown_rows(found.at("attempts"), {"iteration", "workload", "variant", "technique", "config", "outcome",
                                             "speedup", "time_ns", "error_class", "fingerprint", "label"})},
          {"notes", notes},
          {"next", "do not repeat what failed; evaluate what nobody tried"}};
}

Answer HarnessTools::compare(const Arguments& arguments) {
  const std::int64_t a = arguments.whole("a", 0), b = arguments.whole("b", 0);
  const Answer one = iteration(a, false), two = iteration(b, false);
  Answer differs = Answer::object();
  for (const auto& [key, value] : one.items())
    if (two.contains(key) && two[key] != value && key != "iteration") differs[key] = {{"a", value}, {"b", two[key]}};
  Answer answer = {{"ok", true}, {"a", a}, {"b", b}};
  if (const std::string time = common_time(one, two); !time.empty()) {
    const double ratio = two[time].get<double>() / one[time].get<double>();
    answer["b_over_a"] = ratio;
    if (one["workload"] == two["workload"]) answer["faster"] = ratio > 1 ? "a" : "b";
  }
  answer["differs"] = differs;
  answer["next"] = "the resources harness://iteration/N/source have the sources";
  return answer;
}

Answer HarnessTools::iteration(std::int64_t id, bool with_source) {
  const json row = archive().history().iteration(id, with_source);
  if (row.value("purpose", "") == "confirm")
    throw bad_input(fmt::format("iteration {} is a confirmation, which only the judge reads", id));
  Answer veiled = veiled_iteration(row);
  if (const std::string mistake = archive().sessions().mistake_of(id); !mistake.empty())
    veiled["fingerprint"] = mistake;
  return veiled;
}

Answer HarnessTools::note(const Arguments& arguments) {
  const std::string kernel = arguments.text("kernel"), text = arguments.text("text");
  if (text.size() > kLongestNote)
    throw bad_input(fmt::format("a note has {} bytes at most, and this has {}", kLongestNote, text.size()));
  std::optional<std::int64_t> shown_by;
  if (arguments.has("iteration")) shown_by = arguments.whole("iteration", 0);
  if (shown_by) iteration(*shown_by, false);  // throws where there is none
  AgentSessions& sessions = archive().sessions();
  Answer answer = {{"ok", true}};
  if (!text.empty()) answer["note"] = sessions.add_note(session().campaign, {0, shown_by, kernel, text, 0});
  Answer rows = Answer::array();
  for (const AgentNote& each : sessions.notes(kernel, 10))
    rows.push_back({{"note", each.id}, {"kernel", each.kernel}, {"text", each.text}});
  answer["notes"] = rows;
  answer["next"] = "";
  return answer;
}

Answer HarnessTools::budget() {
  const AgentSession now = session();
  Answer jobs = Answer::array();
  for (const AgentJob& each : archive().sessions().jobs(now.campaign, 10)) jobs.push_back(job_row(each));
  return {{"ok", true},
          {"session", now.name},
          {"device", now.device},
          {"campaign", now.campaign},
          {"budget_s", or_null(now.budget_s)},
          {"max_cost_usd", or_null(now.max_cost_usd)},
          {"spent_usd", or_null(now.spent_usd)},
          {"record", archive().sessions().chain_head().substr(0, 16)},
          {"jobs", jobs},
          {"next", now.spent() ? "the budget is spent: only what was recorded can be asked" : "evaluate"}};
}

}  // namespace harness::mcp
