#include "harness/evaluate/compared_lines.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <regex>
#include <sstream>
#include <tuple>

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
  std::vector<std::uint64_t> unknown, offsets;
  for (const RawFinding& finding : said)
    if (finding.compared && !places_.contains(finding.compared->site)) unknown.push_back(finding.compared->site);
  if (unknown.empty()) return;
  std::ranges::transform(unknown, std::back_inserter(offsets), code_offset);
  const auto lines = asked_.lines(offsets);
  const auto columns = asked_.columns(offsets);
  const auto within = asked_.within_functions(offsets);
  for (const std::uint64_t site : unknown) {
    Place& place = places_[site];
    place.seen = places_.size();
    const auto line = lines.find(code_offset(site));
    if (line == lines.end()) continue;
    // "vec.cuh:12, called at kernel.cu:41"
    const std::string innermost = line->second.substr(0, line->second.find(','));
    const std::size_t colon = innermost.rfind(':');
    const auto file = sources_.find(file_of(innermost.substr(0, colon)));
    if (file == sources_.end() || colon == std::string::npos) continue;
    std::from_chars(innermost.data() + colon + 1, innermost.data() + innermost.size(), place.line);
    place.file = file->second;
    place.within_function = within.contains(code_offset(site));
    if (const auto column = columns.find(code_offset(site)); column != columns.end()) place.column = column->second;
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

std::vector<ComparedLines::Comparison> ComparedLines::comparisons() const {
  std::vector<Comparison> all;
  // Where the column is not known no copies are: two comparisons may stand there. Nor of minima and maxima: one within
  // another has its column.
  using Key = std::tuple<const SourceFile*, std::size_t, std::uint32_t, std::uint64_t, std::uint64_t>;
  std::map<Key, std::size_t> listed;  // where in `all`
  for (const auto& [site, seen] : sites_) {
    const Place& place = places_.at(site);
    const bool alone = place.column == 0 || is_choice(site);
    const auto [at, is_new] = listed.try_emplace(
        {place.file, place.line, place.column, site >> kCaseShift, alone ? site : seen.floating}, all.size());
    if (is_new) all.push_back({&place, seen, text_of_line(*place.file, place.line)});
    Comparison& known = all[at->second];
    known.seen.less = known.seen.less || seen.less;
    known.seen.equal = known.seen.equal || seen.equal;
    known.seen.greater = known.seen.greater || seen.greater;
    known.follows = known.follows || following_.contains(site) || (seen.floating && !steady_.contains(site));
    known.infinite = known.infinite && (asks_for_infinity(seen) || (seen.floating && asks_for_nan(known.text)));
    known.sites.push_back(site);
  }
  return all;
}

bool ComparedLines::Comparison::open() const {
  if (is_choice(seen.site)) return seen.one_way() && !seen.equal;  // of two equals it takes either
  return seen.one_way() || (!seen.equal && (seen.site >> kCaseShift != 0 || asks_for_equality(text)));
}

std::vector<std::uint64_t> ComparedLines::open() const {
  std::vector<std::uint64_t> sites;
  for (const Comparison& comparison : comparisons())
    if (comparison.open()) sites.insert(sites.end(), comparison.sites.begin(), comparison.sites.end());
  std::ranges::sort(sites, std::greater(), [&](std::uint64_t site) { return places_.at(site).seen; });
  return sites;
}

template <typename F>
std::vector<ComparedLines::Line> ComparedLines::lines_where(F holds) const {
  std::vector<Line> lines;
  std::map<std::pair<const SourceFile*, std::size_t>, std::size_t> listed;  // where in `lines`
  for (const Comparison& comparison : comparisons()) {
    if (!holds(comparison)) continue;
    const Place& place = *comparison.place;
    const auto [at, is_new] = listed.try_emplace({place.file, place.line}, lines.size());
    if (is_new) lines.push_back({file_of(place.file->name) + ":" + std::to_string(place.line), comparison.text, 0});
    ++lines[at->second].comparisons;
    lines[at->second].infinite = lines[at->second].infinite && comparison.infinite;
  }
  return lines;
}

std::vector<ComparedLines::Line> ComparedLines::one_way() const {
  return lines_where([](const Comparison& comparison) { return comparison.seen.one_way(); });
}

std::vector<ComparedLines::Line> ComparedLines::unturned() const {
  std::set<std::pair<const SourceFile*, std::size_t>> entered;
  for (const Comparison& comparison : comparisons())
    if (!comparison.seen.one_way()) entered.insert({comparison.place->file, comparison.place->line});
  return lines_where([&](const Comparison& comparison) {
    if (comparison.place->within_function) return false;
    const bool is_entry =
        !comparison.seen.floating && entered.contains({comparison.place->file, comparison.place->line});
    if (is_entry && is_loop_of_one_comparison(comparison.text)) return false;
    return comparison.follows && comparison.open();
  });
}

}  // namespace harness
