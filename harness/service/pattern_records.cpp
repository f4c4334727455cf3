#include "harness/service/pattern_records.h"

#include <filesystem>

namespace harness {
namespace {

/// The rules that implement a pattern, by name; a rule says so itself (pattern = 17).
RulePatterns rule_patterns(Shell& shell) {
  RulePatterns rules;
  for (const json& row : shell.rooms.scripts(shell.places())->list())
    if (row.value("kind", "") == "rule" && row.contains("pattern"))
      rules[row.at("name")] = row.at("pattern").get<int>();
  return rules;
}

/// Without a store there is no evidence yet, which is no fault unless the store was named.
std::vector<PatternApplication> recorded_applications(Shell& shell, const RulePatterns& rules) {
  if (shell.db.empty() && !std::filesystem::exists(shell.store_path())) return {};
  return shell.rooms.archive(shell.store_path(), ArchiveAccess::read)->history().pattern_applications(rules);
}

}  // namespace

std::vector<report::PatternRecord> pattern_records_here(Shell& shell, const std::string& pattern) {
  const auto playbook = shell.rooms.playbook(shell.places());
  const std::vector<Pattern> patterns =
      pattern.empty() ? playbook->patterns() : std::vector<Pattern>{playbook->pattern(pattern)};
  const RulePatterns rules = rule_patterns(shell);
  return report::pattern_records(patterns, rules, recorded_applications(shell, rules));
}

}  // namespace harness
