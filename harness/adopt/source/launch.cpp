#include "harness/adopt/source/launch.h"

#include <fmt/format.h>

#include <optional>

#include "harness/adopt/source/tokens.h"

namespace harness::adopt {

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
bool take_callee(const Tokens& tokens, std::size_t open, HostLaunch& launch) {
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
void follow_pointer(const Tokens& tokens, std::size_t open, HostLaunch& launch) {
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
  HostLaunch meant = launch;
  if (!take_callee(*value, value->size(), meant)) return;
  const bool alone = meant.templates.empty() ? value->size() == 1 : value->at(1).is("<") || value->at(1).is("::");
  if (!alone) return;
  launch.entry = meant.entry;
  launch.templates = meant.templates;
  launch.template_tokens = meant.template_tokens;
}

/// Is the word at `i` one of several that a statement declares: F of `const int N = a, F = b;`?
bool declared_behind_comma(const Tokens& tokens, std::size_t i) {
  if (i == 0 || !tokens[i - 1].is(",")) return false;
  std::size_t first = i;
  int depth = 0;
  for (; first > 0 && !tokens[first - 1].is(";"); --first) {
    const Token& token = tokens[first - 1];
    if (token.is(")") || token.is("]") || token.is("}")) ++depth;
    if ((token.is("(") || token.is("[") || token.is("{")) && --depth < 0) break;
  }
  return depth <= 0 && first + 2 < i && tokens[first].is_word() && tokens[first + 1].is_word() &&
         (first == 0 || !tokens[first - 1].is("(")) && !tokens[first].is("return");
}

/// `float* x` and `auto& x` declare x; `*x` alone does not.
bool declared_by_type(const Tokens& tokens, std::size_t i) {
  if (tokens[i - 1].is_word()) return true;
  return (tokens[i - 1].is("*") || tokens[i - 1].is("&")) && (tokens[i - 2].is_word() || tokens[i - 2].is(">"));
}

/// What the word at `i` stands for from there on; nothing: that is not said there.
std::optional<Tokens> meaning_given_at(const Tokens& tokens, std::size_t i) {
  std::size_t end = i;
  while (end < tokens.size() && !tokens[end].is(";")) ++end;
  if (i + 1 < end && tokens[i + 1].is("=") && (declared_by_type(tokens, i) || declared_behind_comma(tokens, i))) {
    const Tokens value = part(tokens, i + 2, end);
    return tokens[i - 1].is("using") || value.empty() ? value : split_by_commas(value).front();
  }
  std::size_t first = i;
  while (first > 0 && !tokens[first - 1].is(";") && !tokens[first - 1].is("{") && !tokens[first - 1].is("}")) --first;
  if (end == i + 1 && tokens[first].is("typedef")) return part(tokens, first + 1, i);
  return std::nullopt;
}

/// What names stand for at the token `at` of a function.
std::map<std::string, Tokens, std::less<>> meanings_before(const Tokens& tokens, const Chunk& chunk, std::size_t at) {
  std::map<std::string, Tokens, std::less<>> meanings;
  for (std::size_t i = at; i-- > 2 && tokens[i].begin >= chunk.begin;) {
    const bool may_say = tokens[i].is_word() && (tokens[i + 1].is("=") || tokens[i + 1].is(";"));
    if (!may_say || meanings.contains(tokens[i].text)) continue;
    if (auto meaning = meaning_given_at(tokens, i)) meanings.emplace(tokens[i].text, std::move(*meaning));
  }
  return meanings;
}

/// Nothing: no kernel's name or no arguments stand there.
std::optional<HostLaunch> written_launch(const SourceText& file, std::size_t open) {
  const Tokens& tokens = file.tokens;
  HostLaunch launch;
  launch.file = &file;
  launch.token = open;
  launch.place = tokens[open].begin;
  launch.line = tokens[open].line;
  launch.where = fmt::format("{}:{}", file.name, launch.line);
  launch.chunk = file.chunk_at(launch.place);
  if (!take_callee(tokens, open, launch)) return std::nullopt;
  follow_pointer(tokens, open, launch);
  std::size_t close = open + 1;
  for (int depth = 0; close < tokens.size() && !(depth == 0 && tokens[close].is(">>>")); ++close) {
    if (tokens[close].is("(") || tokens[close].is("{")) ++depth;
    if (tokens[close].is(")") || tokens[close].is("}")) --depth;
  }
  if (close + 1 >= tokens.size() || !tokens[close + 1].is("(")) return std::nullopt;
  launch.configuration = split_by_commas(part(tokens, open + 1, close));
  launch.arguments = split_by_commas(part(tokens, close + 2, closing(tokens, close + 1)));
  for (const Tokens& argument : launch.arguments) launch.passed.push_back(normalized(argument));
  launch.dispatch = dispatch_around(tokens, open);
  return launch;
}

}  // namespace

const Tokens* HostLaunch::local(std::string_view name) const {
  if (locals == nullptr) return nullptr;
  const auto meaning = locals->find(name);
  return meaning == locals->end() ? nullptr : &meaning->second;
}

const std::vector<Tokens>& HostLaunch::values_of(std::string_view name) const {
  static const std::vector<Tokens> kNone;
  if (calls == nullptr) return kNone;
  const auto values = calls->values.find(name);
  return values == calls->values.end() ? kNone : values->second;
}

std::vector<HostLaunch> launches_of(const SourceText& file) {
  std::vector<HostLaunch> launches;
  std::map<const Chunk*, std::shared_ptr<const HostFunction>> functions;
  for (std::size_t i = 0; i < file.tokens.size(); ++i) {
    auto launch = file.tokens[i].is("<<<") ? written_launch(file, i) : std::nullopt;
    if (!launch) continue;
    if (launch->chunk != nullptr) {
      launch->locals = std::make_shared<const std::map<std::string, Tokens, std::less<>>>(
          meanings_before(file.tokens, *launch->chunk, i));
      const auto [function, fresh] = functions.emplace(launch->chunk, nullptr);
      if (fresh) function->second = HostFunction::of(file, *launch->chunk);
      launch->function = function->second;
    }
    launches.push_back(std::move(*launch));
  }
  return launches;
}

}  // namespace harness::adopt
