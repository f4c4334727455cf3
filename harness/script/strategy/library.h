#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/strategy.h"
#include "harness/script/sandbox/sandbox.h"
#include "harness/script/strategy/library_source.h"

namespace harness::script {

/// Strategies, rules and searches by name from the strategy folders ("roi" is strategies/roi.lua, the search "random"
/// strategies/search/random.lua), or by file: what contains a '/' or ends in ".lua".
class Library : public ScriptLibrary {
 public:
  explicit Library(std::vector<std::filesystem::path> folders, Limits limits = {},
                   std::vector<std::filesystem::path> playbooks = {});

  std::unique_ptr<Strategy> strategy(const std::string& name_or_file) override;
  std::unique_ptr<Search> search(const std::string& name_or_file, const ArmSpace& space, std::uint64_t seed) override;
  /// Strategies, then rules, then searches, by name. A file that does not load is listed with its sentence in "error":
  /// one bad file hides no other.
  std::vector<json> list() override;
  json check(const std::string& name_or_file) override;

 private:
  SourceSet sources(const std::string& name_or_file, const std::string& part, const std::string& kind) const;
  /// The source of a strategy, rule or search of that name, whichever there is first, and its kind ("": it is a file).
  std::pair<SourceSet, std::string> any_source(const std::string& name_or_file) const;
  json described(const std::string& name, const std::string& kind) const;

  StrategyFolders folders_;
  Limits limits_;
  std::vector<std::filesystem::path> playbooks_;
};

}  // namespace harness::script
