#include <filesystem>
#include <memory>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/report/out.h"
#include "harness/report/pattern.h"
#include "harness/report/table.h"

// playbook: the patterns, and what came of them.
namespace harness {
namespace {

struct PlaybookArguments {
  std::string pattern;
  bool json = false;
};

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

int list_patterns(const std::vector<report::PatternRecord>& records, bool as_json) {
  json rows = json::array();
  int status = 0;
  for (const report::PatternRecord& record : records) {
    rows.push_back(report::pattern_json(record));
    if (record.pattern.error.empty()) continue;
    report::err("harness: %s\n", record.pattern.error.c_str());
    status = 2;  // a broken page is named and the others are listed
  }
  if (as_json) report::out_json(rows);
  else report::out("%s", report::aligned(report::pattern_table(records)).c_str());
  return status;
}

int show_playbook(const PlaybookArguments& arguments, Shell& shell) {
  const auto playbook = shell.rooms.playbook(shell.places());
  const bool one = !arguments.pattern.empty();
  const std::vector<Pattern> patterns =
      one ? std::vector<Pattern>{playbook->pattern(arguments.pattern)} : playbook->patterns();
  const RulePatterns rules = rule_patterns(shell);
  const std::vector<report::PatternRecord> records =
      report::pattern_records(patterns, rules, recorded_applications(shell, rules));
  if (!one) return list_patterns(records, arguments.json);
  if (arguments.json) report::out_json(report::pattern_page_json(records.front()));
  else report::out("%s", report::pattern_page(records.front()).c_str());
  return 0;
}

}  // namespace

void define_playbook(CLI::App& app, Shell& shell, std::function<int()>& action) {
  add_db_option(app, shell);
  add_plugin_options(app, shell);
  auto arguments = std::make_shared<PlaybookArguments>();
  app.add_option("pattern", arguments->pattern, "Its number or name: prints the page and its evidence")
      ->type_name("[ID]");
  app.add_flag("--json", arguments->json, "JSON instead of a table");
  action = [arguments, &shell] { return show_playbook(*arguments, shell); };
}

}  // namespace harness
