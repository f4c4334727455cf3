#include "harness/adopt/kernel/pragma.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/suggest.h"

namespace harness::adopt {
namespace {

/// A clause and the texts between its commas.
struct Clause {
  std::string name;
  std::vector<std::string> parts;
};

std::vector<Clause> clauses_of(const std::string& text) {
  const std::vector<Token> tokens = tokens_of(text);
  std::vector<Clause> clauses;
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is_word() || !tokens[i + 1].is("(")) continue;
    const std::size_t close = std::min(closing(tokens, i + 1), tokens.size() - 1);
    Clause clause{std::string(tokens[i].text), {}};
    for (const Tokens& piece : split_by_commas(part(tokens, i + 2, close)))
      if (!piece.empty()) clause.parts.push_back(spelled(piece));
    clauses.push_back(std::move(clause));
    i = close;
  }
  return clauses;
}

/// The directives right above the kernel.
std::string pragma_text(const Source::Place& place) {
  std::string text;
  for (const Token& token : place.file->tokens) {
    if (token.begin >= place.chunk->begin) break;
    if (token.kind != Token::Kind::directive) {
      text.clear();
      continue;
    }
    const std::vector<Token> words = tokens_of(token.text.substr(1));
    if (words.size() < 2 || !words[0].is("pragma") || !words[1].is("kernel")) continue;
    std::string line(token.text.substr(token.text.find("kernel") + 6));
    std::replace(line.begin(), line.end(), '\\', ' ');
    std::replace(line.begin(), line.end(), '\n', ' ');
    text += line + " ";
  }
  return text;
}

std::string listed(const std::vector<std::string>& parts) {
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Did a person answer for this name already: "n=8", "x[n]", "x zeroed"?
bool is_answered(const std::vector<std::string>& answers, const std::string& name) {
  return std::ranges::any_of(answers, [&](const std::string& text) {
    return text.starts_with(name) && text.size() > name.size() && std::string(" [=").find(text[name.size()]) < 3;
  });
}

/// "a=1", "2", "b=3" as "a=1,2" and "b=3".
std::vector<std::string> lists_of(const std::vector<std::string>& parts) {
  std::vector<std::string> lists;
  for (const std::string& part : parts)
    if (part.find('=') != std::string::npos) lists.push_back(part);
    else if (!lists.empty()) lists.back() += "," + part;
  return lists;
}

void add_answers(std::vector<std::string>& answers, const std::vector<std::string>& texts, char behind_name) {
  for (const std::string& text : texts)
    if (!is_answered(answers, text.substr(0, text.find(behind_name)))) answers.push_back(text);
}

/// What the clauses say of the launch.
struct PragmaLaunch {
  std::vector<std::string> problem, block, divisor, grid;

  /// False: it is another clause.
  bool take(const Clause& clause) {
    if (clause.name == "problem_size") problem = clause.parts;
    else if (clause.name == "block_size") block = clause.parts;
    else if (clause.name == "grid_divisor" || clause.name == "grid_divisors") divisor = clause.parts;
    else if (clause.name == "grid_size") grid = clause.parts;
    else return false;
    return true;
  }

  std::string grid_text() const {
    if (!grid.empty()) return listed(grid);
    const std::vector<std::string>& by = divisor.empty() ? block : divisor;
    std::vector<std::string> extents;
    for (std::size_t i = 0; i < problem.size(); ++i)
      extents.push_back(i < by.size() ? fmt::format("cdiv({}, {})", problem[i], by[i]) : problem[i]);
    return listed(extents);
  }
};

Error unknown_clause(const SourceText& file, const std::string& name) {
  return bad_input(fmt::format("{}: #pragma kernel has no clause '{}'{}", file.name, name,
                               did_you_mean(name, {"tune", "set", "problem_size", "block_size", "grid_divisor",
                                                   "grid_size", "buffers", "restriction", "tuning_key"})));
}

}  // namespace

std::vector<std::string> take_pragmas(const Source& source, std::size_t kernel, AdoptOptions& options) {
  const Source::Place place = source.places[kernel];
  std::vector<std::string> left_out;
  if (place.chunk == nullptr) return left_out;
  PragmaLaunch launch;
  for (const Clause& clause : clauses_of(pragma_text(place))) {
    if (launch.take(clause) || clause.name == "tuning_key") continue;
    if (clause.name == "tune" || clause.name == "set") add_answers(options.tune, lists_of(clause.parts), '=');
    else if (clause.name == "buffers") add_answers(options.arguments, clause.parts, '[');
    else if (clause.name == "restriction")
      left_out.push_back(fmt::format("restriction({}) of the pragma is left out: write it into `valid` of the variant",
                                     listed(clause.parts)));
    else throw unknown_clause(*place.file, clause.name);
  }
  if (launch.block.empty()) return left_out;
  if (options.block.empty()) options.block = listed(launch.block);
  if (options.grid.empty()) options.grid = launch.grid_text();
  return left_out;
}

}  // namespace harness::adopt
