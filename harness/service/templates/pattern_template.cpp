#include "harness/service/templates/pattern_template.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/core/error.h"
#include "harness/core/playbook.h"
#include "harness/report/format.h"
#include "harness/report/table.h"

namespace harness {
namespace {

constexpr int kFirstOwnPattern = 200;  // below are the shipped pages
constexpr double kGained = 1.02;       // as the rule plateau: a change counts from 2 %

std::string title_of(const std::string& name) {
  std::string title = name;
  for (char& c : title)
    if (c == '-' || c == '_') c = ' ';
  title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

/// The technique that the page speaks of; nullptr without a lesson.
const TechniqueLesson* subject(const std::optional<CampaignLesson>& lesson) {
  if (!lesson || lesson->techniques.empty()) return nullptr;
  const TechniqueLesson* best = nullptr;
  for (const TechniqueLesson& each : lesson->techniques)
    if (each.gain_hi.value_or(0) >= kGained && (best == nullptr || *each.gain_hi > *best->gain_hi)) best = &each;
  return best != nullptr ? best : &lesson->techniques.front();
}

std::string outcomes_text(const TechniqueLesson& technique) {
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : technique.outcomes) parts.push_back(fmt::format("{} {}", count, outcome));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string gain_text(const TechniqueLesson& technique) {
  if (!technique.gain_lo) return "-";
  return fmt::format("{} to {}", report::ratio(technique.gain_lo), report::ratio(technique.gain_hi));
}

std::string what_happened(const CampaignLesson& lesson) {
  report::Table table{{"technique", "evaluations", "outcomes", "best over the baseline",
                       "against the best of the others", "time", "money"},
                      {}};
  for (const TechniqueLesson& each : lesson.techniques)
    table.rows.push_back({each.kernel + " " + each.technique, std::to_string(each.evaluations), outcomes_text(each),
                          report::ratio(each.best_speedup), gain_text(each), report::seconds(each.seconds),
                          report::money(each.usd)});
  std::string text =
      fmt::format("What happened in campaign {} on {}{}:\n\n{}\n", lesson.campaign, lesson.device_name,
                  lesson.emulation ? " (emulation: its times rank nothing on a GPU)" : "", report::markdown(table));
  for (const RuleLesson& rule : lesson.rules)
    text += fmt::format("- the rule `{}` decided {} times ({}), first in decision {}: {}\n", rule.rule, rule.decisions,
                        rule.action, rule.first, report::clean(rule.why));
  text.erase(text.find_last_not_of('\n') + 1);
  return text;
}

constexpr const char* kPage =
#include "embedded/harness/service/templates/pattern.md"
    ;

/// What the campaign showed, as the page's expectation: only a gain can be expected, and only of a GPU's times.
std::string expectation(const std::optional<CampaignLesson>& lesson, const TechniqueLesson* technique) {
  if (technique == nullptr || lesson->emulation || technique->gain_lo.value_or(0) < 1) return "";
  return fmt::format(" expect = {{ speedup = {{ {:.3g}, {:.3g} }} }},", *technique->gain_lo, *technique->gain_hi);
}

std::string source_text(const std::optional<CampaignLesson>& lesson) {
  if (!lesson) return "Where the pattern and its numbers come from: a campaign, a paper, a file.";
  return fmt::format("Campaign {}: {} on {}, strategy {}, {}, {}, ended by {}.", lesson->campaign,
                     fmt::join(lesson->kernels, ", "), lesson->device_name, lesson->strategy,
                     report::seconds(lesson->spent_s), report::money(lesson->cost_usd),
                     lesson->reason.empty() ? "nothing yet" : lesson->reason);
}

// The next free number, so that no page of the playbook is hidden.
int free_pattern_number(Playbook& playbook, const std::string& name) {
  int highest = kFirstOwnPattern;
  for (const Pattern& pattern : playbook.patterns()) {
    if (pattern.name == name) throw bad_input(fmt::format("{} exists already; choose another name", pattern.file));
    highest = std::max(highest, pattern.id);
  }
  return highest + 1;
}

}  // namespace

std::vector<TemplateFile> pattern_files(const NewArguments& arguments, Shell& shell) {
  const std::string name = plain_name(arguments);
  const int id = free_pattern_number(*shell.rooms.playbook(shell.places()), name);
  std::optional<CampaignLesson> lesson;
  if (!arguments.campaign.empty()) {
    const auto archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::read);
    lesson = archive->history().lesson(archive->history().campaign_called(arguments.campaign));
  }
  return {{fmt::format("playbook/{}-{}.md", id, name), pattern_page_template(id, name, lesson)}};
}

std::string pattern_page_template(int id, const std::string& name, const std::optional<CampaignLesson>& lesson) {
  const TechniqueLesson* technique = subject(lesson);
  return fill_in(kPage, {{"ID", std::to_string(id)},
                         {"TITLE", title_of(name)},
                         {"NAME", name},
                         {"TECHNIQUE", technique == nullptr ? "tiling" : technique->technique},
                         {"EXPECTATION", expectation(lesson, technique)},
                         {"OUTCOME", lesson ? what_happened(*lesson) : "How much, how often, and after how long."},
                         {"SOURCE", source_text(lesson)}});
}

}  // namespace harness
