#include "harness/adopt/source/launch_macros.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace harness::adopt {
namespace {

struct LaunchMacro {
  std::vector<std::string> parameters;
  bool variadic = false;
  std::string body;
};

/// Lines that end in a backslash become one line each of the body.
std::string without_line_ends(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\\' &&
        text.substr(i + 1, text.find('\n', i) - i - 1).find_first_not_of(" \t\r") == std::string_view::npos)
      continue;
    else result += text[i];
  return result;
}

/// Nothing: it holds no launch, and no use of one of the macros that are known to hold one.
std::optional<LaunchMacro> read_macro(const SourceText& file, const Macro& macro,
                                      const std::map<std::string, LaunchMacro>& macros) {
  const std::string_view text = std::string_view(file.text).substr(macro.begin, macro.end - macro.begin);
  const bool uses_one = std::ranges::any_of(
      words_of(text.substr(1)), [&](const std::string& word) { return word != macro.name && macros.contains(word); });
  const bool launches =
      std::ranges::any_of(tokens_of(text.substr(1)), [](const Token& token) { return token.is("<<<"); });
  if (!launches && !uses_one) return std::nullopt;
  const std::size_t name = text.find(macro.name, text.find("define") + 6);
  std::size_t at = name + macro.name.size();
  LaunchMacro read;
  if (at < text.size() && text[at] == '(') {
    const std::size_t close = text.find(')', at);
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view list = text.substr(at + 1, close - at - 1);
    read.variadic = list.find("...") != std::string_view::npos;
    read.parameters = words_of(list);
    at = close + 1;
  }
  read.body = without_line_ends(text.substr(at));
  return read;
}

/// The texts between the commas of a macro's use.
std::vector<std::string> arguments_at(const SourceText& file, std::size_t open, std::size_t close) {
  std::vector<std::string> arguments;
  const Tokens& tokens = file.tokens;
  std::size_t from = tokens[open].end;
  int depth = 0;
  for (std::size_t i = open + 1; i <= close; ++i) {
    if (i < close && (tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("["))) ++depth;
    if (i < close && (tokens[i].is(")") || tokens[i].is("}") || tokens[i].is("]"))) --depth;
    if (i < close && !(tokens[i].is(",") && depth == 0)) continue;
    arguments.emplace_back(trimmed(std::string_view(file.text).substr(from, tokens[i].begin - from)));
    from = tokens[i].end;
  }
  return arguments;
}

/// What the preprocessor makes of a use: parameters replaced, a ## b joined, #a as a literal.
std::string written_out(const LaunchMacro& macro, const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> values;
  for (std::size_t i = 0; i < macro.parameters.size() && i < arguments.size(); ++i)
    values[macro.parameters[i]] = arguments[i];
  if (macro.variadic) {
    std::string rest;
    for (std::size_t i = macro.parameters.size(); i < arguments.size(); ++i)
      rest += (rest.empty() ? "" : ", ") + arguments[i];
    values["__VA_ARGS__"] = rest;
  }
  std::string text;
  const Tokens tokens = tokens_of(macro.body);
  std::size_t done = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].is("#")) {
      const bool joins = i + 1 < tokens.size() && tokens[i + 1].is("#");
      text += macro.body.substr(done, tokens[i].begin - done);
      if (joins) {
        text = std::string(trimmed(text));
        done = i + 2 < tokens.size() ? tokens[i + 2].begin : tokens[i + 1].end;
        ++i;
      } else if (i + 1 < tokens.size()) {
        text += "\"\"";
        done = tokens[++i].end;
      }
      continue;
    }
    const auto value = tokens[i].is_word() ? values.find(std::string(tokens[i].text)) : values.end();
    if (value == values.end()) continue;
    text += macro.body.substr(done, tokens[i].begin - done) + value->second;
    done = tokens[i].end;
  }
  return text + macro.body.substr(done);
}

bool in_a_function(const SourceText& file, std::size_t place) {
  return std::ranges::any_of(file.chunks, [&](const Chunk& chunk) {
    return chunk.body < chunk.end && chunk.body <= place && place < chunk.end;
  });
}

}  // namespace

std::optional<std::string> with_launch_macros_written_out(const Source& source) {
  const SourceText& file = source.main();
  std::map<std::string, LaunchMacro> macros;
  for (std::size_t before = 1; before != macros.size();) {  // until no further one holds one of those
    before = macros.size();
    for (const auto& text_of_file : source.files)
      for (const Macro& macro : text_of_file->macros)
        if (auto read = read_macro(*text_of_file, macro, macros)) macros[macro.name] = std::move(*read);
    if (macros.empty()) break;
  }
  if (macros.empty()) return std::nullopt;
  std::vector<TextEdit> edits;
  const Tokens& tokens = file.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto macro = tokens[i].is_word() ? macros.find(std::string(tokens[i].text)) : macros.end();
    if (macro == macros.end() || !in_a_function(file, tokens[i].begin)) continue;
    const bool called = i + 1 < tokens.size() && tokens[i + 1].is("(");
    const std::size_t close = called ? closing(tokens, i + 1) : i;
    if (close >= tokens.size()) continue;
    edits.push_back(
        {tokens[i].begin, tokens[close].end,
         written_out(macro->second, called ? arguments_at(file, i + 1, close) : std::vector<std::string>())});
    i = close;
  }
  if (edits.empty()) return std::nullopt;
  return edited(file.text, std::move(edits));
}

}  // namespace harness::adopt
