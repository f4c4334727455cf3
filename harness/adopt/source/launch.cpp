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
    if (!dispatch || tokens[i].is(kDispatchOfIndices) || closing(tokens, i + 1) < at) continue;
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

/// `auto kernel = softmax<float, 4>;` and then `kernel<<<...>>>`: the launch is softmax's, where that is all that the
/// variable is given.
void follow_pointer(const Tokens& tokens, std::size_t open, FoundLaunch& launch) {
  if (launch.chunk == nullptr || !launch.templates.empty()) return;
  std::optional<Tokens> value;
  for (std::size_t i = open; i-- > 1 && tokens[i].begin >= launch.chunk->begin;) {
    const bool set = tokens[i].is(launch.entry) && tokens[i + 1].is("=") && !tokens[i - 1].is(".");
    if (!set) continue;
    if (value) return;
    std::size_t first = i + 2, end = i + 2;
    while (end < tokens.size() && !tokens[end].is(";")) ++end;
    if (tokens[first].is("&")) ++first;
    value = part(tokens, first, end);
  }
  if (!value || value->empty() || !value->front().is_word()) return;
  FoundLaunch meant = launch;
  if (!take_callee(*value, value->size(), meant)) return;
  const bool alone = meant.templates.empty() ? value->size() == 1 : value->at(1).is("<") || value->at(1).is("::");
  if (!alone) return;
  launch.entry = meant.entry;
  launch.templates = meant.templates;
  launch.template_tokens = meant.template_tokens;
}

void read_launch(const SourceText& file, std::size_t open, std::vector<FoundLaunch>& all) {
  const Tokens& tokens = file.tokens;
  FoundLaunch launch;
  launch.file = &file;
  launch.place = tokens[open].begin;
  launch.chunk = chunk_at(file, launch.place);
  if (!take_callee(tokens, open, launch)) return;
  follow_pointer(tokens, open, launch);
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
