#include <memory>

#include "harness/cli/command.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/service/pattern_records.h"

// playbook: the patterns, and what came of them.
namespace harness {
namespace {

struct PlaybookArguments {
  std::string pattern;
  bool json = false;
};

int list_patterns(const std::vector<report::PatternRecord>& records, bool as_json) {
  json rows = json::array();
  int status = 0;
  for (const report::PatternRecord& record : records) {
    rows.push_back(report::pattern_json(record));
    if (record.pattern.error.empty()) continue;
    report::err("harness: {}\n", record.pattern.error);
    status = 2;  // a broken page is named and the others are listed
  }
  if (as_json) report::out_json(rows);
  else report::out("{}", report::aligned(report::pattern_table(records)));
  return status;
}

int show_playbook(const PlaybookArguments& arguments, Shell& shell) {
  const std::vector<report::PatternRecord> records = pattern_records_here(shell, arguments.pattern);
  if (arguments.pattern.empty()) return list_patterns(records, arguments.json);
  if (arguments.json) report::out_json(report::pattern_page_json(records.front()));
  else report::out_text(report::pattern_page(records.front()));
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
