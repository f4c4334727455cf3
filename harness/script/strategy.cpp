#include "harness/script/strategy.h"

#include "harness/script/convert.h"
#include "harness/script/library_host.h"

namespace harness::script {
namespace {

/// Reads the table that api.decide made: its fields are checked already.
Decision decision_from(const json& j) {
  Decision decision;
  decision.action = j.at("action");
  decision.why = j.at("why");
  decision.arm = {j.value("kernel", ""), j.value("workload", ""), j.value("technique", "")};
  if (j.contains("rule")) decision.rule = j.at("rule");
  if (j.contains("reason")) decision.reason = j.at("reason");
  const json& predict = j.at("predict");
  decision.predict = {predict.at("speedup_lo"), predict.at("speedup_hi"), predict.at("evaluations")};
  decision.table = j.at("table");
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

Decision LuaStrategy::decide(const Snapshot& snapshot) {
  ScriptHost host(sources_, "strategy", limits_);
  Sandbox& sandbox = host.sandbox();
  sandbox.seed(seed_for(snapshot));
  const json view = snapshot;
  sandbox.protect(0, 1, [&host, &view](lua_State* L) {
    host.push_entry(L, "decide");
    push_json(L, view);
    lua_call(L, 2, 1);
    return 1;
  });
  messages_ = sandbox.messages();
  return decision_from(to_json(sandbox.lua(), -1, sources_.main().name + ": the decision"));
}

}  // namespace harness::script
