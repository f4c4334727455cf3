#include "harness/campaign/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/core/utf8.h"

namespace harness {
namespace {

constexpr std::size_t kMostRules = 4, kMostMoves = 2, kMostLines = 3, kLongestMove = 700;
constexpr double kOverlap = 1.6;      // as predict/predicted_time.cpp adds parts that overlap
constexpr double kLeastShown = 0.03;  // of the time: smaller parts are not told

std::string in_us(double ns) {
  return fmt::format("{:.3g} us", ns / 1000);
}

/// The parts of a prediction as shares of its time: the launch is apart, the others overlap, and each is charged what
/// it brings to their sum.
std::string parts_of(const Profile& profile) {
  const double total = profile.number("predicted_ns").value_or(0);
  const double launch = std::min(total, profile.number("predicted_launch_ns").value_or(0));
  std::vector<std::pair<std::string, double>> parts;
  double sum = 0;
  for (const auto& [number, words] :
       {std::pair("predicted_memory_ns", "device memory"), std::pair("predicted_l2_ns", "L2"),
        std::pair("predicted_l1_ns", "L1 and shared memory"), std::pair("predicted_issue_ns", "issuing instructions"),
        std::pair("predicted_arithmetic_ns", "arithmetic"), std::pair("predicted_latency_ns", "waiting (latency)"),
        std::pair("predicted_atomics_ns", "atomics"), std::pair("predicted_cluster_ns", "cluster")}) {
    parts.emplace_back(words, std::pow(profile.number(number).value_or(0), kOverlap));
    sum += parts.back().second;
  }
  if (!(sum > 0) || !(total > 0)) return "";
  std::ranges::stable_sort(parts, std::greater(), [](const auto& part) { return part.second; });
  std::string text;
  double rest = total - launch;
  for (const auto& [words, weight] : parts) {
    const double ns = (total - launch) * weight / sum;
    if (ns < kLeastShown * total) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", words, in_us(ns));
    rest -= ns;
  }
  text += fmt::format(", launch {}", in_us(launch));
  if (rest >= 0.01 * total) text += fmt::format(", the rest {}", in_us(rest));
  return text;
}

void add_time(const DigestParts& parts, std::vector<std::string>& lines) {
  const Profile* const profile = parts.profile;
  if (profile != nullptr && profile->number("predicted_ns")) {
    lines.push_back(fmt::format("Time: predicted {} for {} ({} to {}; differences below a few percent are noise).",
                                in_us(*profile->number("predicted_ns")), profile->device,
                                in_us(profile->number("predicted_lo_ns").value_or(0)),
                                in_us(profile->number("predicted_hi_ns").value_or(0))));
    if (const std::string made_of = parts_of(*profile); !made_of.empty())
      lines.push_back("It is made of: " + made_of + ".");
  } else if (parts.time_ns) {
    lines.push_back(fmt::format("Time: {}.", in_us(*parts.time_ns)));
  }
  const auto time = parts.time_ns        ? parts.time_ns
                    : profile != nullptr ? profile->number("predicted_ns")
                                         : std::optional<double>();
  if (time && parts.floor && *time > 0)
    lines.push_back(fmt::format("Limit: {} ({}), so it reaches {:.0f} % of what is possible.", in_us(parts.floor->ns),
                                parts.floor->terms, std::min(100.0, 100 * parts.floor->ns / *time)));
  if (time && parts.parent_ns && *parts.parent_ns > 0)
    lines.push_back(fmt::format("Against its parent: {:.2f}x.", *parts.parent_ns / *time));
}

/// "a.cu:12 40 % of all sectors": the lines that move or issue the most.
void add_lines(const Profile& profile, std::vector<std::string>& lines) {
  for (const char* metric : {"global_load_sectors", "instructions"}) {
    std::string text;
    std::size_t shown = 0;
    double all = 0;
    std::vector<std::pair<double, std::string>> dearest;
    for (const LaunchProfile& launch : profile.launches)
      for (const ProfiledLine& line : launch.lines)
        for (const ProfileNumber& number : line.numbers)
          if (number.name == metric) {
            all += number.value;
            dearest.emplace_back(number.value, fmt::format("{}:{}", line.file, line.line));
          }
    std::ranges::stable_sort(dearest, std::greater(), [](const auto& line) { return line.first; });
    for (const auto& [value, place] : dearest)
      if (all > 0 && value >= 0.1 * all && shown++ < kMostLines)
        text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", place, 100 * value / all);
    if (text.empty()) continue;
    const ProfileMetric* const known = find_profile_metric(metric);
    lines.push_back(fmt::format("Dearest lines by {}: {}.",
                                known == nullptr || known->name != "instructions" ? "global loads" : "instructions",
                                text));
    return;
  }
}

void add_rules(const DigestParts& parts, std::vector<std::string>& lines) {
  if (parts.profile != nullptr && parts.rules.empty())
    lines.push_back("Limits: no rule speaks; the largest part of the time above is what to shorten.");
  for (std::size_t i = 0; i < std::min(kMostRules, parts.rules.size()); ++i) {
    const FiringRule& rule = parts.rules[i];
    lines.push_back(fmt::format("{}. {} (mending it may save up to {:.0f} %)", i + 1, rule.diagnosis.text,
                                100 * std::min(1.0, rule.severity)));
  }
}

bool is_page(const Pattern& page, const std::string& name) {
  return fmt::format("{}-{}", page.id, page.name) == name || page.name == name;
}

void add_moves(const DigestParts& parts, std::vector<std::string>& lines) {
  std::size_t moves = 0;
  for (const FiringRule& rule : parts.rules) {
    const auto page =
        std::ranges::find_if(parts.pages, [&](const Pattern& each) { return is_page(each, rule.diagnosis.page); });
    if (page == parts.pages.end() || moves == kMostMoves) continue;
    const std::string advice = advice_of(*page);
    const std::string line =
        fmt::format("Move ({}): {}", page->title,
                    advice.size() <= kLongestMove ? advice : valid_utf8(advice.substr(0, kLongestMove)) + " [...]");
    if (std::ranges::find(lines, line) != lines.end()) continue;
    lines.push_back(line);
    ++moves;
  }
}

/// The text below "## TITLE", until the next heading.
std::string section_of(const std::string& text, const std::string& title) {
  const std::string heading = "## " + title + "\n";
  const std::size_t at = text.find(heading);
  if (at == std::string::npos) return "";
  const std::size_t from = text.find_first_not_of('\n', at + heading.size());
  if (from == std::string::npos) return "";
  std::string section = text.substr(from, text.find("\n## ", from) - from);
  while (!section.empty() && section.back() == '\n') section.pop_back();
  return section;
}

}  // namespace

std::string advice_of(const Pattern& page) {
  std::string advice = section_of(page.text, "What to do");
  if (advice.empty()) return page.summary;
  if (const std::string expect = section_of(page.text, "What to expect"); !expect.empty())
    advice += "\nExpect: " + expect;
  if (const std::string fails = section_of(page.text, "How it fails"); !fails.empty()) advice += "\nIt fails: " + fails;
  return advice;
}

std::string digest_text(const DigestParts& parts) {
  std::vector<std::string> lines;
  add_time(parts, lines);
  add_rules(parts, lines);
  if (parts.profile != nullptr) add_lines(*parts.profile, lines);
  add_moves(parts, lines);
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace harness
