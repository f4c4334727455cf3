#include "harness/evaluate/compared_lines.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <regex>
#include <sstream>

namespace harness {
namespace {

/// The last part of a path, which is how lines of the machine code are named.
std::string file_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string text_of_line(const SourceFile& file, std::size_t number) {
  std::istringstream lines(file.text);
  std::string line;
  for (std::size_t i = 0; i < number; ++i)
    if (!std::getline(lines, line)) return "?";
  return plain_line(line);
}

/// Compilers write `x == -INFINITY` as `x < -FLT_MAX`.
bool asks_for_infinity(const ComparedSite& seen) {
  const auto is_most = [](double side) {
    return std::fabs(side) == std::numeric_limits<float>::max() ||
           std::fabs(side) == std::numeric_limits<double>::max();
  };
  return seen.floating && (!seen.finite || is_most(seen.left) || is_most(seen.right));
}

bool asks_for_nan(const std::string& text) {
  static const std::regex unlike_itself(R"(\bisnan\s*\(|(\b[\w.\[\]]+)\s*!=\s*\1(?![\w.\[(]))");
  return std::regex_search(text, unlike_itself);
}

/// The text without what looks like a relation and is none: `->`, shifts, and arguments of templates.
std::string relations_of(const std::string& text) {
  static const std::regex others(R"(->|<<|>>|\b\w+<[\w:,* ]+>)");
  return std::regex_replace(text, others, " ");
}

/// Whether it asks what is equal: no order stands there.
bool asks_for_equality(const std::string& text) {
  const std::string relations = relations_of(text);
  return relations.find("==") != std::string::npos || relations.find("!=") != std::string::npos ||
         relations.find_first_of("<>") == std::string::npos;
}

/// `for (...; j < length; ...)`: all comparisons of the line come of the one that it has.
bool is_loop_of_one_comparison(const std::string& text) {
  if (!text.starts_with("for (") && !text.starts_with("while (")) return false;
  static const std::regex relation(R"([<>]=?|[=!]=)");
  const std::string relations = relations_of(text);
  return std::distance(std::sregex_iterator(relations.begin(), relations.end(), relation), std::sregex_iterator()) == 1;
}

}  // namespace

std::string plain_line(const std::string& line) {
  std::istringstream words(line.substr(0, line.find("//")));
  std::string plain;
  for (std::string word; words >> word;) plain += (plain.empty() ? "" : " ") + word;
  return plain;
}

ComparedLines::ComparedLines(SitePlaces places, const std::vector<SourceFile>& sources) : asked_(std::move(places)) {
  for (const SourceFile& file : sources) sources_[file_of(file.name)] = &file;
}

void ComparedLines::find_places(const std::vector<RawFinding>& said) {
  std::vector<std::uint64_t> unknown;
  for (const RawFinding& finding : said)
    if (finding.compared && !places_.contains(finding.compared->site)) unknown.push_back(finding.compared->site);
  if (unknown.empty()) return;
  const auto lines = asked_.lines(unknown);
  const auto within = asked_.within_functions(unknown);
  for (const std::uint64_t site : unknown) {
    Place& place = places_[site];
    const auto line = lines.find(site);
    if (line == lines.end()) continue;
    // "vec.cuh:12, called at kernel.cu:41"
    const std::string innermost = line->second.substr(0, line->second.find(','));
    const std::size_t colon = innermost.rfind(':');
    const auto file = sources_.find(file_of(innermost.substr(0, colon)));
    if (file == sources_.end() || colon == std::string::npos) continue;
    std::from_chars(innermost.data() + colon + 1, innermost.data() + innermost.size(), place.line);
    place.file = file->second;
    place.within_function = within.contains(site);
  }
}

void ComparedLines::compare_operands(const std::vector<RawFinding>& said, const Config& point) {
  std::map<std::uint64_t, std::uint64_t>& known = operands_[point];
  for (const RawFinding& finding : said) {
    if (!finding.compared) continue;
    const ComparedSite& seen = *finding.compared;
    const auto [entry, first] = known.try_emplace(seen.site, seen.operands);
    if (!first) (entry->second == seen.operands ? steady_ : following_).insert(seen.site);
  }
}

std::vector<ComparedLines::News> ComparedLines::learn(const std::vector<RawFinding>& said, const Config& point) {
  find_places(said);
  compare_operands(said, point);
  std::vector<News> news;
  for (const RawFinding& finding : said) {
    if (!finding.compared || places_.at(finding.compared->site).file == nullptr) continue;
    const ComparedSite& seen = *finding.compared;
    const auto [entry, first] = sites_.try_emplace(seen.site, seen);
    ComparedSite& known = entry->second;
    const bool more = (seen.less && !known.less) || (seen.equal && !known.equal) || (seen.greater && !known.greater);
    known.less = known.less || seen.less;
    known.equal = known.equal || seen.equal;
    known.greater = known.greater || seen.greater;
    if (first || more) news.push_back({seen, first});
  }
  return news;
}

template <typename F>
std::vector<ComparedLines::Line> ComparedLines::lines_where(F holds) const {
  std::vector<Line> lines;
  std::map<std::pair<const SourceFile*, std::size_t>, std::size_t> listed;  // where in `lines`
  for (const auto& [site, seen] : sites_) {
    const Place& place = places_.at(site);
    const std::string text = text_of_line(*place.file, place.line);
    if (!holds(seen, place, text)) continue;
    const auto [at, is_new] = listed.try_emplace({place.file, place.line}, lines.size());
    if (is_new) lines.push_back({file_of(place.file->name) + ":" + std::to_string(place.line), text, 0});
    ++lines[at->second].comparisons;
    if (!asks_for_infinity(seen) && !(seen.floating && asks_for_nan(text))) lines[at->second].infinite = false;
  }
  return lines;
}

std::vector<ComparedLines::Line> ComparedLines::one_way() const {
  return lines_where([](const ComparedSite& seen, const Place&, const std::string&) { return seen.one_way(); });
}

std::vector<ComparedLines::Line> ComparedLines::unturned() const {
  std::set<std::pair<const SourceFile*, std::size_t>> entered;
  for (const auto& [site, seen] : sites_)
    if (!seen.one_way()) entered.insert({places_.at(site).file, places_.at(site).line});
  return lines_where([&](const ComparedSite& seen, const Place& place, const std::string& text) {
    if (place.within_function) return false;
    const bool is_entry = !seen.floating && entered.contains({place.file, place.line});
    if (is_entry && is_loop_of_one_comparison(text)) return false;
    const bool follows = following_.contains(seen.site) || (seen.floating && !steady_.contains(seen.site));
    if (!follows) return false;
    return seen.one_way() || (!seen.equal && asks_for_equality(text));
  });
}

}  // namespace harness
