#include "harness/cpp_text/includes.h"

#include <algorithm>
#include <array>

namespace harness::cpp_text {
namespace {

constexpr std::array<std::string_view, 4> kIncludes = {"include", "include_next", "import", "embed"};
constexpr std::array<std::string_view, 3> kQuestions = {"__has_include", "__has_include_next", "__has_embed"};

template <std::size_t kCount>
bool names_one_of(std::string_view text, const std::array<std::string_view, kCount>& list) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

bool is_plain_string(const Token& token) {
  return token.kind == Token::Kind::literal && token.text.size() >= 2 && token.text.front() == '"' &&
         token.text.back() == '"';
}

std::string without_quotes(std::string_view text) {
  return std::string(text.substr(1, text.size() - 2));
}

/// The include that the tokens from `at` on write, up to `end`.
Include read_name(std::string directive, const Tokens& tokens, std::size_t at, std::size_t end) {
  const Token& first = tokens[at];
  Include include{std::move(directive), "", false, "", "", first.line};
  if (first.kind == Token::Kind::header || is_plain_string(first)) {
    include.name = without_quotes(first.text);
    include.quoted = first.kind != Token::Kind::header;
  } else if (first.is("<")) {  // a condition's, or not closed
    const auto close = std::find_if(tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens.end(),
                                    [](const Token& token) { return token.is(">"); });
    include.name = spelled(tokens, at + 1, static_cast<std::size_t>(close - tokens.begin()));
  } else if (first.is_word()) {  // what stands behind the name is ignored
    include.macro = first.text;
    if (at + 1 < end && tokens[at + 1].is("(")) include.argument = spelled(tokens, at + 2, closing(tokens, at + 1));
  }
  return include;
}

bool is_condition(const Directive& directive) {
  return directive.name.is("if") || directive.name.is("elif");
}

/// A macro may stand between the question and its name: `#if HAS("x.cuh")`. All names of a condition count.
void add_names_in_condition(const Directive& directive, std::vector<Include>& includes) {
  const Tokens& tokens = directive.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (is_plain_string(tokens[i]) || (tokens[i].is("<") && i > 0 && tokens[i - 1].is("(")))
      includes.push_back(read_name("__has_include", tokens, i, tokens.size()));
}

void add_once(std::vector<Include>& all, Include include) {
  const auto same = [&](const Include& other) {
    return other.directive == include.directive && other.name == include.name && other.quoted == include.quoted &&
           other.macro == include.macro && other.argument == include.argument;
  };
  if (std::none_of(all.begin(), all.end(), same)) all.push_back(std::move(include));
}

void read_dialect(std::string_view text, const Dialect& dialect, NamedFiles& files, std::vector<Include>& includes) {
  for (const Directive& directive : directives_of(text, dialect)) {
    if (auto include = include_of(directive)) includes.push_back(std::move(*include));
    for (FileQuestion& question : file_questions(directive)) includes.push_back(std::move(question.include));
    if (is_condition(directive)) add_names_in_condition(directive, includes);
    if (auto macro = definition_of(directive)) files.macros.push_back(std::move(*macro));
  }
}

}  // namespace

std::optional<Include> include_of(const Directive& directive) {
  if (!names_one_of(directive.name.text, kIncludes) || directive.tokens.empty()) return std::nullopt;
  Include include = read_name(std::string(directive.name.text), directive.tokens, 0, directive.tokens.size());
  include.line = directive.name.line;
  return include;
}

std::vector<FileQuestion> file_questions(const Directive& directive) {
  std::vector<FileQuestion> questions;
  const Tokens& tokens = directive.tokens;
  const auto is_parameter = [&](const Token& token) {  // of a macro that asks: its uses are read
    return directive.name.is("define") && token.is_word();
  };
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!names_one_of(tokens[i].text, kQuestions) || !tokens[i + 1].is("(") || is_parameter(tokens[i + 2])) continue;
    const std::size_t close = std::min(closing(tokens, i + 1), tokens.size() - 1);
    questions.push_back({tokens[i].begin, tokens[close].end,
                         read_name(std::string(tokens[i].text), tokens, i + 2, std::max(close, i + 3))});
  }
  return questions;
}

std::optional<MacroDefinition> definition_of(const Directive& directive) {
  const Tokens& tokens = directive.tokens;
  if (!directive.name.is("define") || tokens.empty()) return std::nullopt;
  MacroDefinition macro{std::string(tokens[0].text), {}, false, {}};
  std::size_t body = 1;
  if (tokens.size() > 1 && tokens[1].is("(") && !tokens[1].spaced) {
    macro.takes_arguments = true;
    for (body = 2; body < tokens.size() && !tokens[body].is(")"); ++body)
      if (!tokens[body].is(",")) macro.parameters.emplace_back(tokens[body].text);
    ++body;
  }
  macro.text.assign(tokens.begin() + static_cast<std::ptrdiff_t>(std::min(body, tokens.size())), tokens.end());
  return macro;
}

NamedFiles named_files(std::string_view text) {
  NamedFiles files;
  const std::vector<Dialect> dialects = dialects_of(text);
  read_dialect(text, dialects.front(), files, files.includes);
  for (std::size_t i = 1; i < dialects.size(); ++i) {
    std::vector<Include> others;
    read_dialect(text, dialects[i], files, others);
    for (Include& other : others) add_once(files.includes, std::move(other));
  }
  return files;
}

HeaderMacros::Meaning HeaderMacros::meaning_of(const MacroDefinition& macro) {
  Meaning meaning;
  const Tokens& text = macro.text;
  meaning.unclear = macro.parameters.size() != (macro.takes_arguments ? 1 : 0) || text.empty();
  if (meaning.unclear) return meaning;
  if (macro.takes_arguments) meaning.parameter = macro.parameters.front();
  if (text.size() == 1 && is_plain_string(text[0])) {
    meaning.quoted = true;
    meaning.pieces = {without_quotes(text[0].text)};
  } else if (text.size() == 1 && text[0].is_word() && !macro.takes_arguments) {
    meaning.alias = text[0].text;
  } else if (text.size() > 2 && text.front().is("<") && text.back().is(">")) {
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
      if (text[i].spaced) meaning.pieces.emplace_back(" ");
      meaning.pieces.emplace_back(text[i].text);
      meaning.unclear = meaning.unclear || text[i].is(">") || text[i].is("#");
    }
  } else {
    meaning.unclear = true;
  }
  return meaning;
}

void HeaderMacros::add(const std::vector<MacroDefinition>& macros) {
  for (const MacroDefinition& macro : macros) meanings_.emplace(macro.name, meaning_of(macro));
}

bool HeaderMacros::add_names(const std::string& macro, const Include& computed, int depth,
                             std::vector<Include>& names) const {
  constexpr int kDeepest = 16;  // aliases of aliases; more is a circle
  // Two underscores: the compiler may have its own meaning (__FILE__).
  if (depth > kDeepest || macro.starts_with("__") || outside_.contains(macro) || !meanings_.contains(macro))
    return false;
  const auto [first, last] = meanings_.equal_range(macro);
  for (auto meaning = first; meaning != last; ++meaning) {
    const Meaning& text = meaning->second;
    if (text.unclear || text.parameter.empty() != computed.argument.empty()) return false;
    if (!text.alias.empty()) {
      if (!add_names(text.alias, computed, depth + 1, names)) return false;
      continue;
    }
    Include include = computed;
    include.quoted = text.quoted;
    for (const std::string& piece : text.pieces) {
      const bool replaced = !text.quoted && piece == text.parameter;
      if (!text.quoted && !replaced && (meanings_.contains(piece) || outside_.contains(piece))) return false;
      include.name += replaced ? computed.argument : piece;
    }
    names.push_back(std::move(include));
  }
  return true;
}

std::optional<std::vector<Include>> HeaderMacros::names_of(const Include& computed) const {
  std::vector<Include> names;
  if (computed.macro.empty() || !add_names(computed.macro, computed, 0, names)) return std::nullopt;
  for (const Token& token : tokens_of(computed.argument))
    if (meanings_.contains(std::string(token.text)) || outside_.contains(std::string(token.text))) return std::nullopt;
  return names;
}

}  // namespace harness::cpp_text
