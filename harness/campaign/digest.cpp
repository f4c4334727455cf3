#include "harness/campaign/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "harness/core/utf8.h"

namespace harness {
namespace {

constexpr std::size_t kMostRules = 6, kMostMoves = 2, kMostLines = 2, kLongestMove = 700, kLongestExample = 1200;
constexpr double kOverlap = 1.6;      // as predict/predicted_time.cpp adds parts that overlap
constexpr double kLeastShown = 0.03;  // of the time: smaller parts are not told
constexpr double kLeastChange = 0.1;  // of the larger time: parts that changed by less are not told
constexpr double kDear = 0.15;        // of all: a line with less is not told

const std::string kLinesOfRule = "; most of it at ";

std::string in_us(double ns) {
  return ns < 1e6 ? fmt::format("{:.3g} us", ns / 1000) : fmt::format("{:.3g} ms", ns / 1e6);
}

/// A part of a prediction; what answers it where no rule speaks.
struct PartWords {
  const char *number, *words, *page;
};
constexpr PartWords kParts[] = {
    {"predicted_memory_ns", "device memory", "115-vector-loads"},
    {"predicted_l2_ns", "L2", "101-tiling"},
    {"predicted_l1_ns", "L1 and shared memory", "123-load-once"},
    {"predicted_issue_ns", "issuing instructions", "124-fewer-instructions"},
    {"predicted_arithmetic_ns", "arithmetic", "104-mma-registers"},
    {"predicted_latency_ns", "waiting (latency)", "127-loads-in-flight"},
    {"predicted_atomics_ns", "atomics", "122-atomics"},
    {"predicted_cluster_ns", "cluster", "110-epilogue-and-multicast"},
};

struct Part {
  const PartWords* of;
  double ns;
};

double launch_of(const Profile& profile) {
  return std::min(profile.number("predicted_ns").value_or(0), profile.number("predicted_launch_ns").value_or(0));
}

/// The parts of a prediction but the launch, the largest first. They overlap: each is charged what it brings to their
/// sum, so that with the launch they add up to the time.
std::vector<Part> parts_of(const Profile& profile) {
  const double rest = profile.number("predicted_ns").value_or(0) - launch_of(profile);
  std::vector<Part> parts;
  double sum = 0;
  for (const PartWords& of : kParts) {
    parts.push_back({&of, std::pow(profile.number(of.number).value_or(0), kOverlap)});
    sum += parts.back().ns;
  }
  if (!(sum > 0)) return {};
  for (Part& part : parts) part.ns *= rest / sum;
  std::ranges::stable_sort(parts, std::greater(), &Part::ns);
  return parts;
}

std::string parts_text(const Profile& profile) {
  const double total = profile.number("predicted_ns").value_or(0), launch = launch_of(profile);
  std::string text;
  double rest = total - launch;
  for (const Part& part : parts_of(profile)) {
    if (part.ns < kLeastShown * total) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part.of->words, in_us(part.ns));
    rest -= part.ns;
  }
  if (text.empty()) return "";
  text += fmt::format(", launch {}", in_us(launch));
  if (rest >= 0.01 * total) text += fmt::format(", the rest {}", in_us(rest));
  return text;
}

/// "; device memory 4 -> 2 us": the parts that became larger or smaller.
std::string changed_parts(const Profile& before, const Profile& now) {
  const double larger = std::max(before.number("predicted_ns").value_or(0), now.number("predicted_ns").value_or(0));
  std::string text;
  for (const Part& old : parts_of(before))
    for (const Part& fresh : parts_of(now))
      if (fresh.of == old.of && std::abs(fresh.ns - old.ns) >= kLeastChange * larger)
        text += fmt::format("; {} {} -> {}", old.of->words, in_us(old.ns), in_us(fresh.ns));
  return text;
}

std::optional<double> time_of(const DigestParts& parts) {
  if (parts.time_ns || parts.profile == nullptr) return parts.time_ns;
  return parts.profile->number("predicted_ns");
}

void add_time(const DigestParts& parts, std::vector<std::string>& lines) {
  const Profile* const profile = parts.profile;
  const std::optional<double> counted = profile != nullptr ? profile->number("predicted_ns") : std::nullopt;
  const bool measured = parts.time_ns && !parts.predicted;
  if (measured) lines.push_back(fmt::format("Time: {}.", in_us(*parts.time_ns)));
  if (counted)
    lines.push_back(fmt::format("{}predicted {} for {} ({} to {}; differences below a few percent are noise).",
                                measured ? "By counting: " : "Time: ", in_us(measured ? *counted : *time_of(parts)),
                                profile->device, in_us(profile->number("predicted_lo_ns").value_or(0)),
                                in_us(profile->number("predicted_hi_ns").value_or(0))));
  else if (parts.time_ns && parts.predicted)
    lines.push_back(fmt::format("Time: {}, predicted.", in_us(*parts.time_ns)));
  if (counted)
    if (const std::string made_of = parts_text(*profile); !made_of.empty())
      lines.push_back("It is made of: " + made_of + ".");
}

void add_limit(const DigestParts& parts, std::vector<std::string>& lines) {
  const std::optional<double> time = time_of(parts);
  if (!time || !(*time > 0)) return;
  if (parts.limit)
    lines.push_back(fmt::format("Limit: {} ({}), so it reaches {:.0f} % of what is possible.", in_us(parts.limit->ns),
                                parts.limit->terms, std::min(100.0, 100 * parts.limit->ns / *time)));
  else if (parts.floor)
    lines.push_back(fmt::format("Limit: {} ({}), so it reaches {:.0f} % of what is possible.", in_us(parts.floor->ns),
                                parts.floor->terms, std::min(100.0, 100 * parts.floor->ns / *time)));
  if (!parts.parent || !(parts.parent->time_ns > 0)) return;
  std::string changed;
  if (parts.parent->profile && parts.profile != nullptr)
    changed = changed_parts(*parts.parent->profile, *parts.profile);
  lines.push_back(fmt::format("Against {}: {:.2f}x{}.", parts.parent->name, parts.parent->time_ns / *time, changed));
}

double number_of(const ProfiledLine& line, const std::string& name) {
  const auto number = std::ranges::find(line.numbers, name, &ProfileNumber::name);
  return number == line.numbers.end() ? 0 : number->value;
}

/// What makes a line dear to a rule: the first of the numbers that it reads which lines have; of sectors, those beyond
/// the least where it reads that too.
std::function<double(const ProfiledLine&)> dearness(const DiagnosisRule& rule, const Profile& profile) {
  std::vector<std::string> read = rule.counters;
  for (const auto* more : {&rule.counted, &rule.also}) read.insert(read.end(), more->begin(), more->end());
  if (std::ranges::find(read, "least_sectors") != read.end())
    return [](const ProfiledLine& line) {
      return number_of(line, "global_load_sectors") + number_of(line, "global_store_sectors") -
             number_of(line, "least_sectors");
    };
  for (const std::string& name : read) {
    const ProfileMetric* const metric = find_profile_metric(name);
    if (metric == nullptr || !metric->adds_up) continue;
    for (const LaunchProfile& launch : profile.launches)
      for (const ProfiledLine& line : launch.lines)
        if (number_of(line, name) > 0) return [name](const ProfiledLine& other) { return number_of(other, name); };
  }
  return nullptr;
}

/// "k.cu:12 75 %, k.cu:20 25 %"; "" where no line stands out.
std::string dearest_lines(const Profile& profile, const std::function<double(const ProfiledLine&)>& dear) {
  double all = 0;
  std::vector<std::pair<double, std::string>> places;
  for (const LaunchProfile& launch : profile.launches)
    for (const ProfiledLine& line : launch.lines)
      if (const double value = dear(line); value > 0) {
        all += value;
        places.emplace_back(value, fmt::format("{}:{}", line.file.substr(line.file.rfind('/') + 1), line.line));
      }
  std::ranges::stable_sort(places, std::greater(), [](const auto& place) { return place.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostLines, places.size()) && places[i].first >= kDear * all; ++i)
    text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", places[i].second, 100 * places[i].first / all);
  return text;
}

std::string lines_of(const DigestParts& parts, const std::string& rule) {
  const auto known = std::ranges::find(parts.known, rule, &DiagnosisRule::name);
  if (known == parts.known.end() || parts.profile == nullptr) return "";
  const auto dear = dearness(*known, *parts.profile);
  const std::string places = dear ? dearest_lines(*parts.profile, dear) : "";
  return places.empty() ? "" : kLinesOfRule + places;
}

/// Loads of 16 bytes a lane touch 16 sectors a warp, of 4 bytes 4.
bool loads_are_wide(const Profile& profile) {
  constexpr double kWide = 8;
  const double requests = profile.number("global_load_requests").value_or(0);
  return requests > 0 && profile.number("global_load_sectors").value_or(0) >= kWide * requests;
}

/// The part to shorten where no rule speaks.
const PartWords* largest_part(const DigestParts& parts) {
  if (parts.profile == nullptr || !parts.rules.empty()) return nullptr;
  const std::vector<Part> all = parts_of(*parts.profile);
  return all.empty() ? nullptr : all.front().of;
}

/// Whether what the part's page advises is done.
bool is_answered(const DigestParts& parts, const PartWords& part) {
  return std::string_view(part.page) == "115-vector-loads" && loads_are_wide(*parts.profile);
}

void add_rules(const DigestParts& parts, std::vector<std::string>& lines) {
  if (const PartWords* const largest = largest_part(parts))
    lines.push_back(fmt::format("Limits: no rule speaks; {} is the largest part{}.", largest->words,
                                is_answered(parts, *largest) ? ", and its loads are wide already: what is left may be "
                                                               "below what counting can tell"
                                                             : ""));
  for (std::size_t i = 0; i < std::min(kMostRules, parts.rules.size()); ++i) {
    const FiringRule& rule = parts.rules[i];
    const std::string gain =
        rule.diagnosis.rule == "at-the-floor"
            ? ""
            : fmt::format(" (mending it may save up to {:.0f} %)", 100 * std::min(1.0, rule.severity));
    lines.push_back(fmt::format("{}. {}{}{}", i + 1, rule.diagnosis.text, gain, lines_of(parts, rule.diagnosis.rule)));
  }
  // Once is enough where a rule has said it.
  if (parts.profile == nullptr ||
      std::ranges::any_of(lines, [](const std::string& line) { return line.find(kLinesOfRule) != std::string::npos; }))
    return;
  const auto instructions = [](const ProfiledLine& line) { return number_of(line, "instructions"); };
  const auto sectors = [](const ProfiledLine& line) { return number_of(line, "global_load_sectors"); };
  if (const std::string loads = dearest_lines(*parts.profile, sectors); !loads.empty())
    lines.push_back(fmt::format("Dearest lines by global loads: {}.", loads));
  else if (const std::string issued = dearest_lines(*parts.profile, instructions); !issued.empty())
    lines.push_back(fmt::format("Dearest lines by instructions: {}.", issued));
}

bool is_page(const Pattern& page, const std::string& name) {
  return fmt::format("{}-{}", page.id, page.name) == name || page.name == name;
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

/// What a page says to do and to expect; how it fails is for who takes it up.
std::string move_of(const Pattern& page) {
  const std::string advice = section_of(page.text, "What to do"), expect = section_of(page.text, "What to expect");
  if (advice.empty()) return page.summary;
  return expect.empty() ? advice : advice + "\nExpect: " + expect;
}

/// The pages that answer what speaks, most severe first.
std::vector<std::string> pages_wanted(const DigestParts& parts) {
  std::vector<std::string> names;
  for (const FiringRule& rule : parts.rules) names.push_back(rule.diagnosis.page);
  if (const PartWords* const largest = largest_part(parts); largest != nullptr && !is_answered(parts, *largest))
    names.emplace_back(largest->page);
  return names;
}

void add_moves(const DigestParts& parts, std::vector<std::string>& lines) {
  std::vector<const Pattern*> told;
  for (const std::string& name : pages_wanted(parts)) {
    const auto page = std::ranges::find_if(parts.pages, [&](const Pattern& each) { return is_page(each, name); });
    if (page == parts.pages.end() || told.size() == kMostMoves || std::ranges::find(told, &*page) != told.end())
      continue;
    told.push_back(&*page);
    const std::string advice = move_of(*page);
    lines.push_back(
        fmt::format("Move ({}): {}", page->title,
                    advice.size() <= kLongestMove ? advice : valid_utf8(advice.substr(0, kLongestMove)) + " [...]"));
    // The first move is shown as it is written; the second in words.
    if (const std::string example = section_of(page->text, "Example");
        told.size() == 1 && !example.empty() && example.size() <= kLongestExample)
      lines.push_back(example);
  }
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
  add_limit(parts, lines);
  add_rules(parts, lines);
  add_moves(parts, lines);
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
}

}  // namespace harness
