#include "harness/evaluate/compared_lines.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <regex>
#include <sstream>
#include <string_view>
#include <tuple>
#include <utility>

namespace harness {
namespace {

/// The last part of a path, which is how lines of the machine code are named.
std::string file_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

constexpr std::uint32_t kColumnBits = 0xffff;  // of Place::column; above it are the calls that led there

std::string raw_line(const SourceFile& file, std::size_t number) {
  std::istringstream lines(file.text);
  std::string line;
  for (std::size_t i = 0; i < number; ++i)
    if (!std::getline(lines, line)) return "?";
  return line;
}

std::string text_of_line(const SourceFile& file, std::size_t number) {
  return plain_line(raw_line(file, number));
}

/// Where in the plain text of the line the column is, which counts from 1.
std::size_t position_of(const SourceFile& file, std::size_t number, std::uint32_t column) {
  const std::string line = raw_line(file, number);
  if (column == 0 || column > line.size()) return std::string::npos;
  const std::string before = plain_line(line.substr(0, column - 1));
  return before.size() + (!before.empty() && plain_line(line.substr(0, column)).size() > before.size() + 1 ? 1 : 0);
}

/// Of the text from `at` on: behind a comment or a literal that begins there; else `at`.
std::size_t behind_quoted(const std::string& text, std::size_t at) {
  const auto end_of = [&](const std::string& mark, std::size_t from) {
    const std::size_t end = text.find(mark, from);
    return end == std::string::npos ? text.size() : end + mark.size();
  };
  if (text.compare(at, 2, "//") == 0) return std::min(text.find('\n', at), text.size());
  if (text.compare(at, 2, "/*") == 0) return end_of("*/", at + 2);
  if (text.compare(at, 2, "R\"") == 0) {
    const std::size_t open = text.find('(', at);
    if (open == std::string::npos) return text.size();
    return end_of(")" + text.substr(at + 2, open - at - 2) + "\"", open);
  }
  if (text[at] != '"' && text[at] != '\'') return at;
  if (text[at] == '\'' && at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0) return at;  // 1'000
  for (std::size_t end = at + 1; end < text.size(); ++end) {
    if (text[end] == '\\') ++end;
    else if (text[end] == text[at]) return end + 1;
  }
  return text.size();
}

/// `namespace name`, `extern "C"`, `struct name : base`: what stands in the braces behind it is looked at by itself.
bool holds_functions(const std::string& head) {
  static const std::regex container(R"((^|\s)(namespace|extern|struct|class|union)\b)");
  return head.find('(') == std::string::npos && std::regex_search(head, container);
}

/// Compilers write `x == -INFINITY` as `x < -FLT_MAX`. A product that comes near it asks what is large.
bool asks_for_infinity(const ComparedSite& seen) {
  if (!seen.floating || !seen.finite) return seen.floating;
  for (const double most : {static_cast<double>(std::numeric_limits<float>::max()), std::numeric_limits<double>::max()})
    for (const auto& [side, other] : {std::pair(seen.left, seen.right), std::pair(seen.right, seen.left)})
      if (std::fabs(side) == most && std::fabs(other) < std::sqrt(most)) return true;
  return false;
}

bool asks_for_nan(const ComparedSite& seen, const std::string& text) {
  // The two sides of such a comparison are one value, which is equal to itself: a name alone on both.
  if (!seen.floating || seen.less || !seen.equal || seen.greater) return false;
  static const std::regex unlike_itself(
      R"(\bisnan\s*\(|(?:^|[(&|=!,;{?:]|\breturn)\s*([A-Za-z_][\w.\[\]]*)\s*[!=]=\s*\1(?!\s*[-+*/%]|[\w.\[(]))");
  return std::regex_search(text, unlike_itself);
}

/// The text without what looks like a relation and is none: `->`, shifts, and arguments of templates.
std::string relations_of(const std::string& text) {
  static const std::regex others(R"(->|<<|>>|\b\w+<[\w:,* ]+>)");
  return std::regex_replace(text, others, " ");
}

/// The condition before a `?` that stands there.
std::string condition_before(const std::string& text, std::size_t question) {
  std::size_t begin = question;
  for (int open = 0; begin > 0; --begin) {
    const char letter = text[begin - 1];
    if (letter == ')') ++open;
    else if (letter == '(' && --open < 0) break;
    else if (open == 0 && std::string_view(";{}?:,").find(letter) != std::string_view::npos) break;
    else if (open == 0 && letter == '=' && begin > 1 &&
             std::string_view("=!<>").find(text[begin - 2]) == std::string_view::npos)
      break;
  }
  return text.substr(begin, question - begin);
}

/// Whether it asks what is equal: no order stands there. `position`: where in the text it compares.
bool asks_for_equality(const std::string& text, std::size_t position, bool floating) {
  const auto is_order = [](const std::string& part) {
    const std::string relations = relations_of(part);
    return relations.find("==") == std::string::npos && relations.find("!=") == std::string::npos &&
           relations.find_first_of("<>") != std::string::npos;
  };
  if (position >= text.size()) return !is_order(text);
  if (text[position] == '<' || text[position] == '>') return false;
  if (text[position] == '?') return !is_order(condition_before(text, position));
  // Elsewhere compilers put what they made another comparison of.
  return !floating || text.compare(position, 2, "==") == 0 || text.compare(position, 2, "!=") == 0 || !is_order(text);
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
  std::string code;
  for (std::size_t at = 0; at < line.size();) {
    const bool comment = line.compare(at, 2, "//") == 0 || line.compare(at, 2, "/*") == 0;
    const std::size_t next = std::max(behind_quoted(line, at), at + 1);
    code += comment ? " " : line.substr(at, next - at);
    at = next;
  }
  std::istringstream words(code);
  std::string plain;
  for (std::string word; words >> word;) plain += (plain.empty() ? "" : " ") + word;
  return plain;
}

ComparedLines::ComparedLines(SitePlaces places, const std::vector<SourceFile>& sources) : asked_(std::move(places)) {
  for (const SourceFile& file : sources) {
    sources_[file_of(file.name)] = &file;
    functions_[&file] = functions_of(file.text);
  }
}

std::vector<FunctionText> functions_of(const std::string& source) {
  std::vector<FunctionText> functions;
  std::string head;                 // since the last ; or brace
  std::size_t line = 1, begun = 0;  // line of the head's first letter; 0: there is none yet
  int within = 0;                   // braces of a body or an initializer
  FunctionText body;
  const auto take = [&](const std::string& piece) {
    std::string& to = within > 0 ? body.text : head;
    if (within == 0 && begun == 0 && piece.find_first_not_of(" \t\r\n") != std::string::npos) begun = line;
    to += piece;
  };
  for (std::size_t at = 0; at < source.size();) {
    const bool begins_line = at == 0 || source[at - 1] == '\n';
    if (begins_line && within == 0) {
      const std::size_t first = source.find_first_not_of(" \t", at);
      if (first != std::string::npos && source[first] == '#') {  // a directive, with its further lines
        std::size_t end = source.find('\n', first);
        while (end != std::string::npos && source[end - 1] == '\\') end = source.find('\n', end + 1);
        end = std::min(end, source.size());
        line += static_cast<std::size_t>(std::count(source.begin() + static_cast<std::ptrdiff_t>(at),
                                                    source.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        at = end;
        continue;
      }
    }
    if (const std::size_t next = behind_quoted(source, at); next > at) {
      const bool comment = source.compare(at, 2, "//") == 0 || source.compare(at, 2, "/*") == 0;
      take(comment ? " " : source.substr(at, next - at));
      line += static_cast<std::size_t>(std::count(source.begin() + static_cast<std::ptrdiff_t>(at),
                                                  source.begin() + static_cast<std::ptrdiff_t>(next), '\n'));
      at = next;
      continue;
    }
    const char letter = source[at++];
    if (letter == '{' && within == 0 && holds_functions(head)) {
      head.clear(), begun = 0;
    } else if (letter == '{') {
      if (within++ == 0) body = {std::exchange(begun, 0), 0, std::exchange(head, "")};
      body.text += letter;
    } else if (letter == '}' && within > 0) {
      body.text += letter;
      if (--within == 0) {
        body.end = line;
        body.text = plain_line(body.text);
        if (body.text.find('(') < body.text.find('{')) functions.push_back(std::move(body));
      }
    } else if (within == 0 && (letter == ';' || letter == '}')) {
      head.clear(), begun = 0;
    } else {
      take(std::string(1, letter));
    }
    line += letter == '\n';
  }
  return functions;
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

void ComparedLines::learn_what_follows(const std::vector<RawFinding>& said, const Config& point) {
  find_places(said);
  compare_operands(said, point);
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
    if (seen.finite && (!known.finite || std::fabs(seen.left - seen.right) < std::fabs(known.left - known.right)))
      known.left = seen.left, known.right = seen.right, known.finite = true;
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
    const std::string text = text_of_line(*place.file, place.line);
    const bool alone = place.column == 0 || is_choice(site) || asks_for_nan(seen, text);
    const auto [at, is_new] = listed.try_emplace(
        {place.file, place.line, place.column, site >> kCaseShift, alone ? site : seen.floating}, all.size());
    if (is_new) all.push_back({&place, seen, text, position_of(*place.file, place.line, place.column & kColumnBits)});
    Comparison& known = all[at->second];
    known.seen.less = known.seen.less || seen.less;
    known.seen.equal = known.seen.equal || seen.equal;
    known.seen.greater = known.seen.greater || seen.greater;
    known.follows = known.follows || following_.contains(site) || (seen.floating && !steady_.contains(site));
    known.infinite = known.infinite && (asks_for_infinity(seen) || asks_for_nan(seen, known.text));
    known.sites.push_back(site);
  }
  return all;
}

bool ComparedLines::Comparison::open() const {
  if (is_choice(seen.site)) return seen.one_way() && !seen.equal;  // of two equals it takes either
  return seen.one_way() ||
         (!seen.equal && (seen.site >> kCaseShift != 0 || asks_for_equality(text, position, seen.floating)));
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
    if (is_new) {
      Line line{file_of(place.file->name) + ":" + std::to_string(place.line), comparison.text};
      for (const FunctionText& function : functions_.at(place.file))
        if (function.begin <= place.line && place.line <= function.end) line.function = function.text;
      lines.push_back(std::move(line));
    }
    lines[at->second].positions.push_back(comparison.position);
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
    // Where the column is known the entry of a loop is a copy of its test.
    const bool is_entry = !comparison.seen.floating && comparison.place->column == 0 &&
                          entered.contains({comparison.place->file, comparison.place->line});
    if (is_entry && is_loop_of_one_comparison(comparison.text)) return false;
    return comparison.follows && comparison.open();
  });
}

}  // namespace harness
