#include "harness/script/library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/script/library_host.h"
#include "harness/script/search.h"
#include "harness/script/strategy.h"

namespace harness::script {
namespace {

bool is_file_name(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".lua");
}

std::string below(const std::string& part, const std::string& name) {
  return part.empty() ? name : part + "/" + name;
}

std::vector<std::string> short_names(const StrategyFolders& folders, const std::string& part) {
  std::vector<std::string> names = folders.names(part);
  for (std::string& name : names) name = name.substr(part.empty() ? 0 : part.size() + 1);
  return names;
}

}  // namespace

Library::Library(std::vector<std::filesystem::path> folders, Limits limits)
    : folders_(std::move(folders)), limits_(limits) {}

SourceSet Library::sources(const std::string& name, const std::string& part, const std::string& kind) const {
  if (auto found = folders_.find(below(part, name))) return {std::move(*found), folders_};
  if (is_file_name(name)) {
    if (std::filesystem::is_regular_file(name)) return {read_source(name, name), folders_.with_folder_of(name)};
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
    SourceSet set{folders_.find(name).value(), folders_};
    entry["file"] = set.main().name;
    entry["summary"] = ScriptHost(set, kind, limits_).summary();
  } catch (const Error& error) {
    entry["error"] = error.what();
  }
  return entry;
}

std::vector<json> Library::list() {
  std::vector<json> entries;
  const std::pair<const char*, const char*> parts[] = {{"", "strategy"}, {"rules", "rule"}, {"search", "search"}};
  for (const auto& [part, kind] : parts) {
    for (const std::string& name : folders_.names(part)) entries.push_back(described(name, kind));
  }
  return entries;
}

}  // namespace harness::script
