#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/core/playbook.h"
#include "harness/report/table.h"

// A page of the playbook with its evidence, for people and programs.
namespace harness::report {

struct PatternRecord {
  Pattern pattern;
  std::vector<std::string> rules;  // that carry its number
  std::vector<PatternApplication> applications;
  PatternEvidence evidence;
};

/// Brings the pages together with the rules that carry their numbers and with what is recorded.
std::vector<PatternRecord> pattern_records(const std::vector<Pattern>& patterns,
                                           const std::map<std::string, int>& rules,
                                           const std::vector<PatternApplication>& applications);

/// id, name, title, how often applied, what followed. Pages that cannot be read are left out.
Table pattern_table(const std::vector<PatternRecord>& records);
/// The page as it stands in its file, and below it what came of it.
std::string pattern_page(const PatternRecord& record);
/// {"id","name","title","summary","techniques","expect","rules","file","evidence"}; of a page that cannot be read:
/// {"file","error"}.
json pattern_json(const PatternRecord& record);
/// The same with "text" and "applications".
json pattern_page_json(const PatternRecord& record);

}  // namespace harness::report
