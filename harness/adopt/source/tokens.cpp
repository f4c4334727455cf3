#include "harness/adopt/source/tokens.h"

#include <algorithm>
#include <cctype>

namespace harness::adopt {
namespace {

/// Tokens [at, at + count) are one from now on.
void join(Tokens& tokens, std::size_t at, std::size_t count, std::string_view text) {
  tokens[at].text = text;
  tokens[at].end = tokens[at + count - 1].end;
  tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at + 1),
               tokens.begin() + static_cast<std::ptrdiff_t>(at + count));
}

/// The `> > >` in front of a `(` that ends a launch; the end of the tokens: it ends as `>>>`, or never.
std::size_t apart_end_of_launch(const Tokens& tokens, std::size_t open) {
  for (std::size_t i = open; i + 3 < tokens.size() && !tokens[i].is(";") && !tokens[i].is(">>>"); ++i)
    if (tokens[i].is(">") && tokens[i + 1].is(">") && tokens[i + 2].is(">") && tokens[i + 3].is("(")) return i;
  return tokens.size();
}

}  // namespace

Tokens tokens_of(std::string_view text) {
  Tokens tokens = cpp_text::tokens_of(text);
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("<<") && tokens[i + 1].is("<") && !tokens[i - 1].is("operator")) join(tokens, i, 2, "<<<");
    if (!tokens[i].is("<<<")) continue;
    if (const std::size_t end = apart_end_of_launch(tokens, i); end < tokens.size()) join(tokens, end, 3, ">>>");
  }
  return tokens;
}

int line_of(std::string_view text, std::size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return 1 + static_cast<int>(std::count(text.begin(), end, '\n'));
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const Token& token : tokens_of(text)) {
    if (token.is_word()) words.emplace_back(token.text);
    if (token.kind != Token::Kind::directive) continue;
    for (const Token& inner : tokens_of(token.text.substr(1)))
      if (inner.is_word()) words.emplace_back(inner.text);
  }
  return words;
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string with_word(std::string_view text, std::string_view from, std::string_view to) {
  std::string result;
  std::size_t done = 0;
  for (const Token& token : tokens_of(text)) {
    if (!token.is_word() || token.text != from) continue;
    result += text.substr(done, token.begin - done);
    result += to;
    done = token.end;
  }
  return result + std::string(text.substr(done));
}

}  // namespace harness::adopt
