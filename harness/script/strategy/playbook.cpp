#include "harness/script/strategy/playbook.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/script/sandbox/convert.h"
#include "harness/script/strategy/library_host.h"

namespace harness::script {
namespace {

constexpr const char* kKind = "pattern";

/// Calls a function of the API with the page and, unless it is null, a snapshot; its answer as JSON.
json ask_page(ScriptHost& host, const char* function, const json& argument, const std::string& name) {
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

Pattern described(const PatternPage& page, const json& declared) {
  Pattern pattern{page.id, page.name, page.title, page.summary, page.lua.name, page.text, {}, {}, ""};
  pattern.techniques = declared.at("techniques").get<std::vector<std::string>>();
  if (declared.contains("expect")) {
    const json& expect = declared["expect"];
    pattern.expect = {expect.at("speedup").at(0), expect.at("speedup").at(1), {}};
    if (expect.contains("probability")) pattern.expect->probability = expect["probability"].get<double>();
  }
  return pattern;
}

}  // namespace

LuaPlaybook::LuaPlaybook(std::vector<std::filesystem::path> folders, Limits limits)
    : folders_(std::move(folders)), limits_(limits) {}

Pattern LuaPlaybook::read(const Source& file) const {
  const PatternPage page = read_page(file);
  SourceSet set{page.lua, StrategyFolders({})};
  ScriptHost host(set, kKind, limits_);
  const json declared = ask_page(host, "describe", nullptr, file.name);
  if (declared.at("id") != page.id || declared.at("name") != page.name)
    throw bad_input(fmt::format("{}:1: the file is the page of pattern {} '{}', but it declares {} '{}'", file.name,
                                page.id, page.name, json_text(declared.at("id")),
                                declared.at("name").get<std::string>()));
  ask_page(host, "check_examples", nullptr, file.name);
  return described(page, declared);
}

std::vector<Pattern> LuaPlaybook::patterns() {
  std::vector<Pattern> patterns;
  for (const Source& file : find_pages(folders_)) {
    try {
      patterns.push_back(read(file));
    } catch (const Error& error) {
      patterns.push_back({0, "", "", "", file.name, file.text, {}, {}, error.what()});
    }
  }
  return patterns;
}

Pattern LuaPlaybook::pattern(const std::string& wanted) {
  std::vector<std::string> names, numbers;
  for (const Source& file : find_pages(folders_)) {
    const std::string stem = std::filesystem::path(file.name).stem().string();
    numbers.push_back(stem.substr(0, stem.find('-')));
    names.push_back(stem.substr(stem.find('-') + 1));
    if (wanted == numbers.back() || wanted == names.back() || wanted == stem) return read(file);
  }
  const bool number = wanted.find_first_not_of("0123456789") == std::string::npos;
  throw bad_input(fmt::format("the playbook has no pattern '{}' (harness playbook lists them){}", wanted,
                              did_you_mean(wanted, number ? numbers : names)));
}

std::vector<AppliedPattern> LuaPlaybook::applying(const Snapshot& snapshot) {
  std::vector<AppliedPattern> applied;
  const json view = snapshot;
  for (const Source& file : find_pages(folders_)) {
    SourceSet set{read_page(file).lua, StrategyFolders({})};
    ScriptHost host(set, kKind, limits_);
    for (const json& row : ask_page(host, "applies", view, file.name))
      applied.push_back({row.at("id"), row.at("name"), row.at("reason"), row.at("kernel"), row.at("workload")});
  }
  return applied;
}

}  // namespace harness::script
