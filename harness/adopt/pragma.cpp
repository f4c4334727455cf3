#include "harness/adopt/pragma.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

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
    std::size_t from = tokens[i + 1].end;
    int depth = 0;
    for (std::size_t k = i + 2; k <= close; ++k) {
      if (tokens[k].is("(") || tokens[k].is("[")) ++depth;
      if ((tokens[k].is(")") || tokens[k].is("]")) && k != close) --depth;
      if (k != close && !(tokens[k].is(",") && depth == 0)) continue;
      std::string part = text.substr(from, tokens[k].begin - from);
      std::erase(part, ' ');
      if (!part.empty()) clause.parts.push_back(part);
      from = tokens[k].end;
    }
    clauses.push_back(std::move(clause));
    i = close;
  }
  return clauses;
}

/// The directives right above the kernel.
std::string pragma_text(const Source::Found& found) {
  std::string text;
  for (const Token& token : found.file->tokens) {
    if (token.begin >= found.chunk->begin) break;
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

}  // namespace

std::vector<std::string> take_pragmas(const Source& source, std::size_t kernel, AdoptOptions& options) {
  const Source::Found found = source.find(kernel);
  std::vector<std::string> left_out, problem, block, divisor, grid;
  if (found.chunk == nullptr) return left_out;
  const auto answered = [](const std::vector<std::string>& answers, const std::string& name) {
    return std::ranges::any_of(answers, [&](const std::string& each) {
      return each.starts_with(name) && each.size() > name.size() && std::string(" [=").find(each[name.size()]) < 3;
    });
  };
  for (const Clause& clause : clauses_of(pragma_text(found))) {
    if (clause.name == "tune" || clause.name == "set") {
      std::vector<std::string> lists;
      for (const std::string& part : clause.parts)
        if (part.find('=') != std::string::npos) lists.push_back(part);
        else if (!lists.empty()) lists.back() += "," + part;
      for (const std::string& list : lists)
        if (!answered(options.tune, list.substr(0, list.find('=')))) options.tune.push_back(list);
    } else if (clause.name == "problem_size") {
      problem = clause.parts;
    } else if (clause.name == "block_size") {
      block = clause.parts;
    } else if (clause.name == "grid_divisor" || clause.name == "grid_divisors") {
      divisor = clause.parts;
    } else if (clause.name == "grid_size") {
      grid = clause.parts;
    } else if (clause.name == "buffers") {
      for (const std::string& part : clause.parts)
        if (!answered(options.arguments, part.substr(0, part.find('[')))) options.arguments.push_back(part);
    } else if (clause.name == "restriction") {
      left_out.push_back(fmt::format("restriction({}) of the pragma is left out: write it into `valid` of the variant",
                                     listed(clause.parts)));
    } else if (clause.name != "tuning_key") {
      throw bad_input(
          fmt::format("{}: #pragma kernel has no clause '{}'{}",
                      std::filesystem::path(found.file->path).filename().string(), clause.name,
                      did_you_mean(clause.name, {"tune", "set", "problem_size", "block_size", "grid_divisor",
                                                 "grid_size", "buffers", "restriction", "tuning_key"})));
    }
  }
  if (options.block.empty() && !block.empty()) options.block = listed(block);
  if (!options.grid.empty() || block.empty()) return left_out;
  if (grid.empty()) {
    const std::vector<std::string>& by = divisor.empty() ? block : divisor;
    for (std::size_t i = 0; i < problem.size(); ++i)
      grid.push_back(i < by.size() ? fmt::format("cdiv({}, {})", problem[i], by[i]) : problem[i]);
  }
  options.grid = listed(grid);
  return left_out;
}

}  // namespace harness::adopt
