#include "harness/script/strategy/strategy.h"

#include "harness/script/sandbox/convert.h"
#include "harness/script/strategy/library_host.h"

namespace harness::script {
namespace {

/// An empty Lua table is an empty list; a memory is always an object.
json remembered(const json& memory) {
  return memory.empty() ? json::object() : memory;
}

/// Reads the table that api.decide made: its fields are checked already.
Decision decision_from(const json& j) {
  Decision decision;
  decision.action = j.at("action").get<Action>();
  decision.why = j.at("why");
  decision.arm = {j.value("kernel", ""), j.value("workload", ""), j.value("technique", "")};
  if (j.contains("rule")) decision.rule = j.at("rule");
  if (j.contains("reason")) decision.reason = j.at("reason").get<EndReason>();
  if (j.contains("rule_numbers")) decision.rule_numbers = j.at("rule_numbers");
  decision.patterns = j.at("patterns").get<std::vector<std::int64_t>>();
  decision.predict = j.at("predict").get<Prediction>();
  decision.table = j.at("table");
  decision.ask = j.value("ask", "");
  decision.proposer = j.value("proposer", "");
  if (j.contains("memory")) decision.memory = remembered(j.at("memory"));
  if (j.contains("parents")) decision.parents = j.at("parents").get<std::vector<std::string>>();
  return decision;
}

/// The same random numbers for the same snapshot, other ones for the next.
std::uint64_t seed_for(const Snapshot& snapshot) {
  return snapshot.seed ^ (static_cast<std::uint64_t>(snapshot.iterations) * 0x9e3779b97f4a7c15);
}

}  // namespace

LuaStrategy::LuaStrategy(SourceSet sources, Limits limits) : sources_(std::move(sources)), limits_(limits) {
  const ScriptHost host(sources_, "strategy", limits_);
  identity_ = {host.name(), sources_.hash()};
}

json LuaStrategy::ask(const char* function, const Snapshot& snapshot, const char* what) {
  ScriptHost host(sources_, "strategy", limits_);
  Sandbox& sandbox = host.sandbox();
  sandbox.seed(seed_for(snapshot));
  json view = snapshot;
  const json memory = std::move(view.at("memory"));
  view.erase("memory");
  const bool strict = strict_;
  sandbox.protect(0, 1, [&host, &view, &memory, function, strict](lua_State* L) {
    host.push_entry(L, function);
    push_json(L, view, strict);
    push_json(L, memory, false);  // its fields are the script's own
    lua_setfield(L, -2, "memory");
    lua_call(L, 2, 1);
    return 1;
  });
  messages_ = sandbox.messages();
  return to_json(sandbox.lua(), -1, sources_.main().name + what);
}

Decision LuaStrategy::decide(const Snapshot& snapshot) {
  return decision_from(ask("decide", snapshot, ": the decision"));
}

std::vector<RuleState> LuaStrategy::rules(const Snapshot& snapshot) {
  std::vector<RuleState> states;
  for (const json& row : ask("rules", snapshot, ": its rules")) {
    RuleState state;
    state.rule = row.at("rule");
    state.effect = row.at("effect");
    state.asked = row.at("asked");
    if (row.contains("arm")) state.arm = row.at("arm");
    if (row.contains("reason")) state.reason = row.at("reason");
    if (row.contains("numbers")) state.numbers = row.at("numbers");
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace harness::script
