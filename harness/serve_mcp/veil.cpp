#include "harness/serve_mcp/veil.h"

#include "harness/core/gates.h"
#include "harness/core/iteration_fields.h"
#include "harness/core/secrets.h"
#include "harness/serve_mcp/times.h"

namespace harness::mcp {
namespace {

constexpr std::size_t kLongestMessage = 1500;

/// Of a launch whose inputs a candidate must not know. A name that no gate has may be one.
bool hidden(const std::string& recorded) {
  const Gate* const gate = find_gate(recorded);
  return gate == nullptr || gate->secret;
}

Answer copied(const json& from, std::initializer_list<const char*> keys) {
  Answer to = Answer::object();
  for (const char* key : keys)
    if (from.contains(key) && !from.at(key).is_null()) to[key] = from.at(key);
  return to;
}

/// The plain fields that agents may know.
void add_fields(Answer& answer, const json& iteration) {
  for (const IterationField& field : iteration_fields()) {
    const char* const key = field.shown_name();
    if (field.is(kAgentAnswer) && iteration.contains(key) && !iteration.at(key).is_null())
      answer[key] = iteration.at(key);
  }
}

/// Names of what failed, and how many passed.
void add_gates(Answer& answer, const json& gates, bool& was_hidden) {
  std::size_t passed = 0;
  Answer failed = Answer::array();
  for (const json& gate : gates) {
    const json verdict = gate.value("passed", json());
    if (verdict == true) ++passed;
    if (verdict != false) continue;
    failed.push_back(gate.value("name", ""));
    was_hidden = was_hidden || hidden(gate.value("name", ""));
  }
  answer["gates_passed"] = passed;
  if (!failed.empty()) answer["gates_failed"] = failed;
}

void add_error(Answer& answer, const json& error, const json& log, bool was_hidden) {
  if (!error.is_object()) return;
  Answer told = copied(error, {"stage", "class"});
  std::string message = error.value("message", "");
  if (error.value("class", "") != "compile_error") message = without_secrets(message);
  if (message.size() > kLongestMessage) message = message.substr(0, kLongestMessage) + " [...]";
  told["message"] = message;
  const json bad = error.value("first_bad", json());
  if (bad.is_object() && was_hidden) told["first_bad"] = copied(bad, {"argument"});
  else if (bad.is_object()) told["first_bad"] = copied(bad, {"argument", "index", "expected", "got"});
  if (log.is_string()) told["log"] = log.get<std::string>().substr(0, kLongestMessage);  // its first errors
  answer["error_of_candidate"] = told;
}

}  // namespace

Answer veiled_iteration(const json& iteration) {
  const json outcome = iteration.value("outcome", json());
  Answer answer = {{"passed", outcome == "passed"}, {"outcome", outcome}};
  add_fields(answer, iteration);
  answer.update(copied(iteration, {"speedup_ci95", "time_ci95_ns"}));
  bool was_hidden = false;
  add_gates(answer, iteration.value("gates", json::array()), was_hidden);
  add_error(answer, iteration.value("error", json()),
            outcome == "compile_error" ? iteration.value("log", json()) : json(), was_hidden);
  answer.update(
      copied(iteration, {"kernel", "workload", "variant", "technique", "config", "label", "iteration", "resources"}));
  // Code of a CPU has no registers of a GPU: compile says how many it takes.
  if (answer.contains("resources") && answer["resources"].value("registers", 0) == 0)
    answer["resources"]["registers"] = nullptr;
  return with_kind_of_times(answer, iteration.value("device", ""), iteration.value("emulation", json()) == true);
}

}  // namespace harness::mcp
