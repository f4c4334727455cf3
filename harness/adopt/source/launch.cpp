#include "harness/adopt/source/launch.h"

#include <optional>

#include "harness/adopt/source/token_lists.h"

namespace harness::adopt {

const Chunk* chunk_at(const SourceText& file, std::size_t place) {
  for (const Chunk& chunk : file.chunks)
    if (chunk.begin <= place && place < chunk.end) return &chunk;
  return nullptr;
}

std::string dispatch_around(const Tokens& tokens, std::size_t at) {
  for (std::size_t i = at; i-- > 0;) {
    if (!tokens[i].is_word()) continue;
    const bool dispatch =
        tokens[i].text.find("DISPATCH_") != std::string_view::npos && i + 1 < tokens.size() && tokens[i + 1].is("(");
    if (!dispatch || closing(tokens, i + 1) < at) continue;
    std::string text;
    for (std::size_t k = i; k < at && !tokens[k].is("["); ++k) text += tokens[k].text;
    return text;
  }
  return "";
}

namespace {

/// The `<` of the template arguments that end at `close`; nothing: the file begins between them.
std::optional<std::size_t> begin_of_template(const Tokens& tokens, std::size_t close) {
  int depth = 0;
  for (std::size_t from = close + 1; from-- > 0;) {
    if (tokens[from].is(">")) ++depth;
    if (tokens[from].is("<") && --depth == 0) return from;
  }
  return std::nullopt;
}

/// Takes "kernel<T, 4>" in front of the `<<<` at `open`. False: no kernel's name stands there.
bool take_callee(const Tokens& tokens, std::size_t open, FoundLaunch& launch) {
  std::size_t behind = open;
  if (behind > 0 && tokens[behind - 1].is(">")) {
    const auto from = begin_of_template(tokens, behind - 1);
    if (!from) return false;
    for (const Tokens& argument : split_by_commas(part(tokens, *from + 1, behind - 1), true)) {
      launch.templates.push_back(spelled(argument));
      launch.template_tokens.push_back(argument);
    }
    behind = *from;
  }
  if (behind == 0 || !tokens[behind - 1].is_word()) return false;
  launch.entry = tokens[behind - 1].text;
  return true;
}

void read_launch(const SourceText& file, std::size_t open, std::vector<FoundLaunch>& all) {
  const Tokens& tokens = file.tokens;
  FoundLaunch launch;
  launch.file = &file;
  launch.place = tokens[open].begin;
  launch.chunk = chunk_at(file, launch.place);
  if (!take_callee(tokens, open, launch)) return;
  std::size_t close = open + 1;
  for (int depth = 0; close < tokens.size() && !(depth == 0 && tokens[close].is(">>>")); ++close) {
    if (tokens[close].is("(") || tokens[close].is("{")) ++depth;
    if (tokens[close].is(")") || tokens[close].is("}")) --depth;
  }
  if (close + 1 >= tokens.size() || !tokens[close + 1].is("(")) return;
  launch.configuration = split_by_commas(part(tokens, open + 1, close));
  launch.arguments = split_by_commas(part(tokens, close + 2, closing(tokens, close + 1)));
  launch.dispatch = dispatch_around(tokens, open);
  all.push_back(std::move(launch));
}

}  // namespace

std::vector<FoundLaunch> find_launches(const Source& source) {
  std::vector<FoundLaunch> all;
  for (const auto& file : source.files)
    for (std::size_t i = 0; i < file->tokens.size(); ++i)
      if (file->tokens[i].is("<<<")) read_launch(*file, i, all);
  return all;
}

}  // namespace harness::adopt
