#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/script/strategy/source.h"

namespace harness::script {

/// The strategy folders, searched in order. A name such as "roi", "rules/plateau" or "search/random" is a file below
/// one of them; symbolic links and ".." may not leave it.
class StrategyFolders {
 public:
  explicit StrategyFolders(std::vector<std::filesystem::path> folders);

  /// The file of a name without ".lua"; nullopt: there is none. Throws Error(bad_input) for one that cannot be read.
  std::optional<Source> find(const std::string& name) const;
  /// Names below a part ("" strategies, "rules", "search"), sorted, each once.
  std::vector<std::string> names(const std::string& part) const;
  /// The same folders with the one of `file` before them, for a script given as a file.
  StrategyFolders with_folder_of(const std::filesystem::path& file) const;
  std::string text() const;  // the folders, for messages

 private:
  std::vector<std::filesystem::path> folders_;
};

/// The sources that one strategy or search is made of: read once, so that its identity holds while it runs.
class SourceSet {
 public:
  SourceSet(Source main, StrategyFolders folders, std::vector<std::filesystem::path> playbooks = {});

  const Source& main() const { return main_; }
  void replace_main(Source main) { main_ = std::move(main); }
  /// What use("rules/plateau") loads; the same source each time. Throws Error(bad_input) that names the nearest.
  const Source& used(const std::string& name);
  /// What use("playbook") loads: the Lua of every page of the playbook folders, read once. Throws Error(bad_input).
  const std::vector<Source>& pages();
  /// SHA-256 of the main text and of the names and texts of everything it used so far.
  std::string hash() const;

 private:
  Source main_;
  StrategyFolders folders_;
  std::vector<std::filesystem::path> playbooks_;
  std::map<std::string, Source> used_;
  std::optional<std::vector<Source>> pages_;
};

}  // namespace harness::script
