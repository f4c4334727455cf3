#include "harness/report/pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/report/format.h"

namespace harness::report {
namespace {

constexpr std::size_t kShownApplications = 10;

/// "3 of 5", or "-" when nothing was measured.
Cell share_met(const PatternEvidence& evidence) {
  return evidence.measured == 0 ? Cell(Quantity{}) : Cell::of(cell(evidence.met), " of ", cell(evidence.measured));
}

std::string applied_to(const PatternApplication& each) {
  return each.kernel.empty() ? "-" : fmt::format("{}/{}/{}", each.kernel, each.workload, each.technique);
}

Cell cost_of(double spent, const std::optional<double>& usd) {
  const Quantity time{spent, Unit::s};
  return usd ? Cell::of(time, ", ", Quantity{usd, Unit::usd}) : Cell(time);
}

/// The newest, so that a page with a long history stays a page.
std::string application_table(const std::vector<PatternApplication>& applications) {
  Table table{{"campaign", "decision", "by", "what was tried", "evaluations", "passed", "gain", "cost"}, {}};
  const std::size_t shown = std::min(applications.size(), kShownApplications);
  for (std::size_t i = applications.size() - shown; i < applications.size(); ++i) {
    const PatternApplication& each = applications[i];
    table.rows.push_back({cell(each.campaign), cell(each.decision), dash_if_empty(each.rule), applied_to(each),
                          cell(each.evaluations), cell(each.passed), Quantity{each.gain, Unit::ratio},
                          cost_of(each.seconds, each.usd)});
  }
  const std::size_t left = applications.size() - shown;
  return aligned(table) + (left > 0 ? fmt::format("and {} before these\n", left) : "");
}

std::string evidence_text(const PatternRecord& record) {
  const PatternEvidence& evidence = record.evidence;
  if (evidence.applied == 0) return "No recorded decision has named this pattern yet.\n";
  std::string text =
      fmt::format("Applied {} times{}", evidence.applied, evidence.emulation ? " (in emulation only)" : "");
  if (evidence.measured > 0) {
    text += fmt::format(", {} of them with a time before and after: {} improved", evidence.measured, evidence.improved);
    if (record.pattern.expect)
      text += fmt::format(", {} reached the promised {:g}x", evidence.met, record.pattern.expect->speedup_lo);
    text += fmt::format("; mean gain {}", ratio(evidence.mean_gain));
  }
  text += fmt::format(". Cost: {}.\n", report::text(cost_of(evidence.seconds, evidence.usd)));
  if (!evidence.against.empty()) text += fmt::format("EVIDENCE AGAINST: {}.\n", evidence.against);
  return text + "\n" + application_table(record.applications);
}

json application_json(const PatternApplication& each) {
  return {{"campaign", each.campaign},
          {"decision", each.decision},
          {"device_name", each.device_name},
          {"emulation", each.emulation},
          {"action", each.action},
          {"rule", text_or_null(each.rule)},
          {"why", each.why},
          {"kernel", each.kernel},
          {"workload", each.workload},
          {"technique", each.technique},
          {"evaluations", each.evaluations},
          {"passed", each.passed},
          {"gain", each.gain},
          {"seconds", each.seconds},
          {"usd", each.usd}};
}

json expect_json(const std::optional<Expectation>& expect) {
  if (!expect) return nullptr;
  return {{"speedup", {expect->speedup_lo, expect->speedup_hi}}, {"probability", expect->probability}};
}

}  // namespace

std::vector<PatternRecord> pattern_records(const std::vector<Pattern>& patterns,
                                           const std::map<std::string, int>& rules,
                                           const std::vector<PatternApplication>& applications) {
  std::vector<PatternRecord> records;
  for (const Pattern& pattern : patterns) {
    PatternRecord record{pattern, {}, {}, sum_up(pattern.id, pattern.expect, applications)};
    for (const auto& [rule, id] : rules)
      if (id == pattern.id) record.rules.push_back(rule);
    for (const PatternApplication& each : applications)
      if (each.id == pattern.id) record.applications.push_back(each);
    records.push_back(std::move(record));
  }
  return records;
}

Table pattern_table(const std::vector<PatternRecord>& records) {
  Table table{{"id", "name", "title", "applied", "met", "mean gain", "spent", ""}, {}};
  for (const PatternRecord& record : records) {
    if (!record.pattern.error.empty()) continue;
    const PatternEvidence& evidence = record.evidence;
    const bool applied = evidence.applied != 0;
    table.rows.push_back({cell(record.pattern.id), record.pattern.name, record.pattern.title,
                          applied ? cell(evidence.applied) : Cell(Quantity{}), share_met(evidence),
                          Quantity{evidence.mean_gain, Unit::ratio},
                          applied ? cost_of(evidence.seconds, evidence.usd) : Cell(Quantity{}),
                          evidence.against.empty() ? "" : "evidence against"});
  }
  return table;
}

std::string pattern_page(const PatternRecord& record) {
  std::string text = record.pattern.text;
  if (!text.ends_with('\n')) text += '\n';
  text += "\n## Evidence\n\n";
  if (!record.rules.empty()) text += fmt::format("Rules that act on it: {}.\n", fmt::join(record.rules, ", "));
  return text + evidence_text(record);
}

json pattern_json(const PatternRecord& record) {
  const Pattern& pattern = record.pattern;
  if (!pattern.error.empty()) return {{"file", pattern.file}, {"error", pattern.error}};
  json evidence = record.evidence;
  evidence.erase("id");
  if (record.evidence.against.empty()) evidence["against"] = nullptr;
  return {{"id", pattern.id},
          {"name", pattern.name},
          {"title", pattern.title},
          {"summary", pattern.summary},
          {"techniques", pattern.techniques},
          {"expect", expect_json(pattern.expect)},
          {"rules", record.rules},
          {"file", pattern.file},
          {"evidence", evidence}};
}

json pattern_page_json(const PatternRecord& record) {
  json page = pattern_json(record);
  page["text"] = record.pattern.text;
  page["applications"] = json::array();
  for (const PatternApplication& each : record.applications) page["applications"].push_back(application_json(each));
  return page;
}

}  // namespace harness::report
