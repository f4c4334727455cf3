#include "harness/script/strategy/library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/script/strategy/diagnoses.h"
#include "harness/script/strategy/library_host.h"
#include "harness/script/strategy/library_trial.h"
#include "harness/script/strategy/search.h"
#include "harness/script/strategy/strategy.h"

namespace harness::script {
namespace {

bool is_file_name(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".lua");
}

std::string below(const std::string& part, const std::string& name) {
  return part.empty() ? name : part + "/" + name;
}

/// What the file of a path is by its folder, else `otherwise`.
std::string kind_of_path(const std::string& path, const std::string& otherwise) {
  if (path.starts_with("rules/")) return "rule";
  if (path.starts_with("search/")) return "search";
  return path.starts_with("diagnoses/") ? "diagnosis" : otherwise;
}

std::vector<std::string> short_names(const StrategyFolders& folders, const std::string& part) {
  std::vector<std::string> names = folders.names(part);
  for (std::string& name : names) name = name.substr(part.empty() ? 0 : part.size() + 1);
  return names;
}

}  // namespace

Library::Library(std::vector<std::filesystem::path> folders, Limits limits,
                 std::vector<std::filesystem::path> playbooks)
    : folders_(std::move(folders)), limits_(limits), playbooks_(std::move(playbooks)) {}

SourceSet Library::sources(const std::string& name, const std::string& part, const std::string& kind) const {
  if (auto found = folders_.find(below(part, name))) return {std::move(*found), folders_, playbooks_};
  if (is_file_name(name)) {
    if (std::filesystem::is_regular_file(name))
      return {read_source(name, name), folders_.with_folder_of(name), playbooks_};
    throw bad_input(fmt::format("there is no file '{}'; give the name or the file of a {}", name, kind));
  }
  const std::vector<std::string> known = short_names(folders_, part);
  throw bad_input(fmt::format("unknown {} '{}'{}; known are {} (in {})", kind, name, did_you_mean(name, known),
                              known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")), folders_.text()));
}

std::unique_ptr<Strategy> Library::strategy(const std::string& name) {
  return std::make_unique<LuaStrategy>(sources(name, "", "strategy"), limits_);
}

std::unique_ptr<Search> Library::search(const std::string& name, const ArmSpace& space, std::uint64_t seed) {
  return std::make_unique<LuaSearch>(sources(name, "search", "search"), space, seed, limits_);
}

json Library::described(const std::string& name, const std::string& kind) const {
  const std::string stem = name.substr(name.rfind('/') + 1);
  json entry = {{"name", stem}, {"kind", kind}, {"summary", ""}, {"file", name}};
  try {
    SourceSet set{folders_.find(name).value(), folders_, playbooks_};
    entry["file"] = set.main().name;
    const ScriptHost host(set, kind, limits_);
    entry["summary"] = host.summary();
    if (host.pattern()) entry["pattern"] = *host.pattern();
  } catch (const Error& error) {
    entry["error"] = error.what();
  }
  return entry;
}

std::vector<json> Library::list() {
  std::vector<json> entries;
  const std::pair<const char*, const char*> parts[] = {
      {"", "strategy"}, {"rules", "rule"}, {"search", "search"}, {"diagnoses", "diagnosis"}};
  for (const auto& [part, kind] : parts) {
    for (const std::string& name : folders_.names(part)) entries.push_back(described(name, kind));
  }
  return entries;
}

std::pair<SourceSet, std::string> Library::any_source(const std::string& name) const {
  const std::pair<const char*, const char*> parts[] = {
      {"", "strategy"}, {"rules", "rule"}, {"search", "search"}, {"diagnoses", "diagnosis"}};
  if (!is_file_name(name) || folders_.find(name))
    for (const auto& [part, kind] : parts) {
      const std::string path = below(part, name);
      if (auto found = folders_.find(path)) {
        return {{std::move(*found), folders_, playbooks_}, kind_of_path(path, kind)};
      }
    }
  return {sources(name, "", "strategy, rule, search or diagnosis"), ""};
}

json Library::check(const std::string& name) {
  auto [set, kind] = any_source(name);
  if (kind.empty()) kind = declared_kind(set, limits_);
  const std::string file = set.main().name;
  json report = {{"file", file}, {"kind", kind}, {"tried", json::array()}};
  {
    const ScriptHost host(set, kind, limits_);
    report["name"] = host.name();
    report["summary"] = host.summary();
  }
  if (kind == "diagnosis") report["tried"] = try_diagnosis(set, limits_);
  else if (kind == "search") report["tried"] = try_search(set, limits_);
  else report["tried"] = try_strategy(kind == "rule" ? strategy_of_rule(set) : set, limits_);
  return report;
}

}  // namespace harness::script
