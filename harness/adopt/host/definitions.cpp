#include "harness/adopt/host/definitions.h"

#include <algorithm>
#include <set>

#include "harness/adopt/host/expression.h"
#include "harness/adopt/source/host_function.h"
#include "harness/adopt/source/tokens.h"

namespace harness::adopt {
namespace {

/// `grid(8)` of `dim3 block(256), grid(8);`
bool is_further_dim3(const Tokens& tokens, std::size_t i) {
  std::size_t first = i;
  while (first > 0 && !tokens[first].is(";") && !tokens[first].is("{") && !tokens[first].is("}")) --first;
  return tokens[first + 1].is("dim3") || tokens[first + 2].is("dim3");
}

/// What the word at `i` is given there; nothing: it is only used.
std::optional<Definition> definition_at(const Tokens& tokens, std::size_t i) {
  if (i + 1 >= tokens.size() || tokens[i - 1].is(".") || tokens[i - 1].is("->")) return std::nullopt;
  const std::string_view type = tokens[i - 1].is_word() ? tokens[i - 1].text : std::string_view();
  if (tokens[i + 1].is("=")) return Definition{part(tokens, i + 2, end_of_value(tokens, i + 2)), false, type};
  if (!tokens[i + 1].is("(") && !tokens[i + 1].is("{")) return std::nullopt;
  if (tokens[i - 1].is("dim3") || (tokens[i - 1].is(",") && is_further_dim3(tokens, i)))
    return Definition{part(tokens, i + 2, closing(tokens, i + 1)), true};
  if (tokens[i + 1].is("{") && is_number_type(type))  // int n{4}
    return Definition{part(tokens, i + 2, closing(tokens, i + 1)), false, type};
  return std::nullopt;
}

bool is_sign_of_change(const Token& token) {
  static const std::set<std::string_view> kSigns{"=", "+=", "-=", "*=", "/=", "%=", "++", "--", "<<=", ">>="};
  return kSigns.contains(token.text);
}

/// Does a function assign to a name that it does not declare itself?
bool changes(const SourceText& file, const Chunk& chunk, std::string_view name) {
  const Tokens& tokens = file.tokens;
  const auto first = std::ranges::lower_bound(tokens, chunk.begin, {}, &Token::begin);
  bool changed = false;
  for (auto i = static_cast<std::size_t>(first - tokens.begin()); i + 1 < tokens.size() && tokens[i].begin < chunk.end;
       ++i) {
    if (i == 0 || !tokens[i].is(name) || tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("::"))
      continue;
    const Token &before = tokens[i - 1], &behind = tokens[i + 1];
    const bool address = before.is("&") && i > 1 && (tokens[i - 2].is("(") || tokens[i - 2].is(","));
    const bool declares = before.is_word() ? !before.is("return") && !before.is("else")
                                           : (before.is("&") && !address) || (before.is("*") && behind.is("="));
    if (declares) return false;
    changed = changed || address || is_sign_of_change(behind) || before.is("++") || before.is("--");
  }
  return changed;
}

/// The words of a macro's definition: define, its name, its value.
Tokens words_of_macro(const SourceText& file, const Macro& macro) {
  return tokens_of(std::string_view(file.text).substr(macro.begin + 1, macro.end - macro.begin - 1));
}

}  // namespace

std::optional<Definition> Definitions::in_function(std::string_view name) const {
  if (launch_ == nullptr || launch_->chunk == nullptr) return std::nullopt;
  const Tokens& tokens = launch_->file->tokens;
  for (std::size_t i = tokens.size(); i-- > 1;) {
    if (tokens[i].begin >= launch_->place || !tokens[i].is(name)) continue;
    if (tokens[i].begin < launch_->chunk->begin) break;
    if (const auto value = definition_at(tokens, i)) return value;
  }
  return std::nullopt;
}

Definition Definitions::of(std::string_view name) const {
  if (auto local = in_function(name)) return *local;
  for (const auto& file : source_.files) {
    for (const Macro& macro : file->macros)
      if (macro.name == name && is_taken(*file, macro)) {
        const Tokens words = words_of_macro(*file, macro);
        const bool has_arguments = words.size() > 2 && words[2].is("(") && words[2].begin == words[1].end;
        if (words.size() > 2 && !has_arguments) return {part(words, 2, words.size())};
      }
    for (std::size_t i = 1; i < file->tokens.size(); ++i) {
      const Chunk* const chunk = file->tokens[i].is(name) ? file->chunk_at(file->tokens[i].begin) : nullptr;
      if (chunk == nullptr || chunk->body != chunk->end) continue;
      if (const auto value = definition_at(file->tokens, i)) return is_changed(name) ? Definition{} : *value;
    }
  }
  return {};
}

/// Is a variable of a file given another value by some function, or handed out by its address?
bool Definitions::is_changed(std::string_view name) const {
  return std::ranges::any_of(source_.files, [&](const auto& file) {
    return std::ranges::any_of(
        file->chunks, [&](const Chunk& chunk) { return chunk.body < chunk.end && changes(*file, chunk, name); });
  });
}

/// Of the definitions in branches of #if, the compiler sees one.
bool Definitions::is_taken(const SourceText& file, const Macro& macro) const {
  bool declared = false;
  for (const Declaration& declaration : source_.parsed.declarations) {
    if (declaration.kind != Declaration::Kind::macro || declaration.name != macro.name || declaration.file != file.path)
      continue;
    if (macro.begin <= declaration.place && declaration.place < macro.end) return true;
    declared = true;
  }
  return !declared;
}

bool Definitions::is_local(std::string_view name) const {
  if (launch_ == nullptr || launch_->chunk == nullptr) return false;
  const Tokens& tokens = launch_->file->tokens;
  for (std::size_t i = 1; i < tokens.size() && tokens[i].begin < launch_->place; ++i)
    if (tokens[i].begin > launch_->chunk->begin && tokens[i].is(name) && definition_at(tokens, i)) return true;
  return false;
}

bool Definitions::is_open_dim3(std::string_view name) const {
  if (launch_ == nullptr || launch_->chunk == nullptr) return false;
  const Tokens& tokens = launch_->file->tokens;
  for (std::size_t i = 1; i < tokens.size() && tokens[i].begin < launch_->place; ++i) {
    if (tokens[i].begin < launch_->chunk->begin || !tokens[i].is(name)) continue;
    std::size_t type = i - 1;
    while (type > 0 && (tokens[type].is("&") || tokens[type].is("const"))) --type;
    if (tokens[type].is("dim3")) return true;
  }
  return false;
}

bool Definitions::declares_dim3(std::size_t token) const {
  const Tokens& tokens = launch_->file->tokens;
  if (token < 2 || tokens[token - 1].is(".")) return false;
  return tokens[token - 1].is("dim3") || (tokens[token - 1].is(",") && is_further_dim3(tokens, token));
}

bool Definitions::is_counted_up(std::string_view name) const {
  if (launch_ == nullptr || launch_->chunk == nullptr) return false;
  const Tokens& tokens = launch_->file->tokens;
  for (std::size_t i = 1; i + 1 < tokens.size() && tokens[i].begin < launch_->place; ++i) {
    if (tokens[i].begin < launch_->chunk->begin || !tokens[i].is(name)) continue;
    for (const char* sign : {"++", "--", "+=", "-=", "*=", "/="})
      if (tokens[i + 1].is(sign) || (tokens[i - 1].is(sign) && sign[0] == sign[1])) return true;
  }
  return false;
}

std::optional<SmallFunction> Definitions::function_named(std::string_view name) const {
  for (const auto& file : source_.files) {
    const Tokens& tokens = file->tokens;
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
      if (!tokens[i].is(name) || !tokens[i + 1].is("(")) continue;
      const Chunk* const chunk = file->chunk_at(tokens[i].begin);
      const std::size_t close = closing(tokens, i + 1);
      if (chunk == nullptr || chunk->body == chunk->end || close + 2 >= tokens.size() ||
          tokens[close].begin > chunk->body || !tokens[close + 1].is("{"))
        continue;
      return SmallFunction{tokens[i - 1].text, split_by_commas(part(tokens, i + 2, close)),
                           part(tokens, close + 2, closing(tokens, close + 1))};
    }
  }
  return std::nullopt;
}

std::optional<SmallFunction> Definitions::macro_named(std::string_view name) const {
  for (const auto& file : source_.files)
    for (const Macro& macro : file->macros) {
      if (macro.name != name) continue;
      const Tokens words = words_of_macro(*file, macro);
      if (words.size() < 4 || !words[2].is("(")) continue;
      const std::size_t close = closing(words, 2);
      return SmallFunction{"", split_by_commas(part(words, 3, close)), part(words, close + 1, words.size())};
    }
  return std::nullopt;
}

std::optional<std::size_t> Definitions::field_of(const Tokens& called, std::string_view name) const {
  const auto open = std::ranges::find_if(called, [](const Token& token) { return token.is("("); });
  if (open == called.begin() || open == called.end()) return std::nullopt;
  const auto function = function_named(std::prev(open)->text);
  if (!function) return std::nullopt;
  for (const auto& file : source_.files)
    for (std::size_t i = 0; i + 2 < file->tokens.size(); ++i) {
      const Tokens& tokens = file->tokens;
      if (!tokens[i].is("struct") || !tokens[i + 1].is(function->type) || !tokens[i + 2].is("{")) continue;
      std::size_t count = 0;
      for (std::size_t k = i + 3; k < closing(tokens, i + 2); ++k) {
        if (!tokens[k].is(",") && !tokens[k].is(";")) continue;
        if (tokens[k - 1].is(name)) return count;
        ++count;
      }
    }
  return std::nullopt;
}

std::string Definitions::type_behind(const std::string& type) const {
  for (const auto& file : source_.files) {
    const Tokens& tokens = file->tokens;
    for (std::size_t i = 1; i + 2 < tokens.size(); ++i) {
      if (!tokens[i].is(type)) continue;
      std::size_t from = i, end = i + 2;
      while (from > 0 && !tokens[from - 1].is(";") && !tokens[from - 1].is("{") && !tokens[from - 1].is("}") &&
             tokens[from - 1].kind != Token::Kind::directive)
        --from;
      while (end < tokens.size() && !tokens[end].is(";")) ++end;
      if (tokens[i + 1].is(";") && tokens[from].is("typedef")) return type_text(tokens, from + 1, i);
      if (tokens[i - 1].is("using") && tokens[i + 1].is("=")) return type_text(tokens, i + 2, end);
    }
  }
  const Tokens macro = type.find_first_of(" <:") == std::string::npos ? of(type).value : Tokens();
  return !macro.empty() && std::ranges::all_of(macro, &Token::is_word) ? type_text(macro, 0, macro.size()) : "";
}

}  // namespace harness::adopt
