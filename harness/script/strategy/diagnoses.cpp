#include "harness/script/strategy/diagnoses.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/script/sandbox/convert.h"
#include "harness/script/strategy/library_host.h"

namespace harness::script {
namespace {

constexpr const char *kDiagnosis = "diagnosis", *kFolder = "diagnoses";

/// Calls a function of the API with the rule and `argument`; its answer as JSON.
json ask_rule(ScriptHost& host, const char* function, const json& argument, const std::string& name) {
  host.sandbox().protect(0, 1, [&](lua_State* L) {
    host.push_entry(L, function);
    push_json(L, argument);
    lua_call(L, 2, 1);
    return 1;
  });
  json answer = to_json(host.sandbox().lua(), -1, name);
  lua_pop(host.sandbox().lua(), 1);
  return answer;
}

json numbers_of(const Profile& profile) {
  json numbers = json::object();
  for (const ProfileNumber& number : profile.numbers) numbers[number.name] = number.value;
  return numbers;
}

/// Lua has one empty table for both.
template <typename Wanted>
Wanted filled(const json& given) {
  return given.empty() ? Wanted() : given.get<Wanted>();
}

DiagnosisRule described(const json& declared, const std::string& file) {
  DiagnosisRule rule{declared.at("name"), declared.at("summary"), declared.at("source"), file};
  rule.counters = filled<std::vector<std::string>>(declared.at("counters"));
  rule.counted = filled<std::vector<std::string>>(declared.at("counted"));
  rule.also = filled<std::vector<std::string>>(declared.at("also"));
  rule.page = declared.at("page");
  if (!declared.at("defaults").empty()) rule.defaults = declared.at("defaults");
  return rule;
}

}  // namespace

LuaDiagnoses::LuaDiagnoses(std::vector<std::filesystem::path> strategy_folders, Limits limits)
    : folders_(std::move(strategy_folders)), limits_(limits) {}

std::vector<DiagnosisRule> LuaDiagnoses::rules() {
  std::vector<DiagnosisRule> rules;
  for (const std::string& name : folders_.names(kFolder)) {
    try {
      SourceSet set{folders_.find(name).value(), folders_};
      ScriptHost host(set, kDiagnosis, limits_);
      rules.push_back(described(ask_rule(host, "describe_diagnosis", nullptr, name), set.main().name));
    } catch (const Error& error) {
      rules.push_back({});
      rules.back().file = name;
      rules.back().error = error.what();
    }
  }
  return rules;
}

std::optional<Diagnosis> LuaDiagnoses::diagnose(const Profile& profile) {
  const std::vector<FiringRule> firing = diagnose_all(profile);
  return firing.empty() ? std::nullopt : std::optional(firing.front().diagnosis);
}

std::vector<FiringRule> LuaDiagnoses::diagnose_all(const Profile& profile) {
  const json numbers = numbers_of(profile);
  std::vector<FiringRule> firing;
  for (const std::string& name : folders_.names(kFolder)) {
    SourceSet set{folders_.find(name).value(), folders_};
    ScriptHost host(set, kDiagnosis, limits_);
    const json said = ask_rule(host, "diagnose", numbers, name);
    if (said.is_null() || !(said.at("severity").get<double>() > 0)) continue;
    const DiagnosisRule rule = described(ask_rule(host, "describe_diagnosis", nullptr, name), name);
    firing.push_back({{rule.name, said.at("text"), said.value("page", rule.page)}, said.at("severity")});
  }
  std::ranges::stable_sort(firing, std::greater(), &FiringRule::severity);
  return firing;
}

std::vector<std::string> try_diagnosis(const SourceSet& sources, Limits limits) {
  SourceSet set = sources;
  ScriptHost host(set, kDiagnosis, limits);
  const json said = ask_rule(host, "check_diagnosis", nullptr, set.main().name);
  return {fmt::format("says of its example: {}", said.get<std::string>()), "is silent in its other example",
          "fails on none of 4 profiles with every number"};
}

}  // namespace harness::script
