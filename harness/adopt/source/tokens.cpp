#include "harness/adopt/source/tokens.h"

#include <algorithm>
#include <cctype>

namespace harness::adopt {
namespace {

/// Tokens [at, at + count) are one from now on.
void unite(Tokens& tokens, std::size_t at, std::size_t count, std::string_view text) {
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

/// Where the template arguments end that begin at a `<` behind a word: at a `>` that a call or a scope follows, as in
/// x.data<float, 2>(). `at` itself where it is a comparison.
std::size_t end_of_angles(const Tokens& tokens, std::size_t at) {
  if (at == 0 || !tokens[at].is("<") || !tokens[at - 1].is_word()) return at;
  int depth = 0;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is(";") || token.is("{") || token.is("&&") || token.is("||") || token.is(")")) return at;
    if (token.is("(")) i = std::min(closing(tokens, i), tokens.size() - 1);
    if (token.is("<")) ++depth;
    if (token.is(">") && --depth == 0) {
      const bool called = i + 1 < tokens.size() && (tokens[i + 1].is("(") || tokens[i + 1].is("::"));
      return called ? i : at;
    }
  }
  return at;
}

}  // namespace

Tokens tokens_of(std::string_view text) {
  Tokens tokens = cpp_text::tokens_of(text);
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (tokens[i].is("<<") && tokens[i + 1].is("<") && !tokens[i - 1].is("operator")) unite(tokens, i, 2, "<<<");
    if (!tokens[i].is("<<<")) continue;
    if (const std::size_t end = apart_end_of_launch(tokens, i); end < tokens.size()) unite(tokens, end, 3, ">>>");
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

std::size_t end_of_template(const Tokens& tokens, std::size_t at) {
  int depth = 0;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    if (tokens[i].is("<")) ++depth;
    if (tokens[i].is(">") && --depth == 0) return i;
  }
  return at + 1;
}

std::vector<Tokens> split_by_commas(const Tokens& tokens, bool angles) {
  std::vector<Tokens> parts;
  int depth = 0;
  std::size_t within = 0;  // template arguments of an expression go on to here
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (!angles && i >= within) within = end_of_angles(tokens, i);
    if (token.is("(") || token.is("[") || token.is("{") || (angles && token.is("<"))) ++depth;
    if (token.is(")") || token.is("]") || token.is("}") || (angles && token.is(">"))) --depth;
    if (parts.empty()) parts.emplace_back();
    if (token.is(",") && depth == 0 && i >= within) parts.emplace_back();
    else parts.back().push_back(token);
  }
  return parts;
}

std::size_t end_of_value(const Tokens& tokens, std::size_t from) {
  std::size_t end = from;
  for (int depth = 0; end < tokens.size(); ++end) {
    if (tokens[end].is("(") || tokens[end].is("{") || tokens[end].is("[")) ++depth;
    if (tokens[end].is(")") || tokens[end].is("}") || tokens[end].is("]")) --depth;
    if (depth < 0 || (depth == 0 && (tokens[end].is(";") || tokens[end].is(",")))) break;
  }
  return end;
}

std::string spelled(const Tokens& tokens) {
  std::string text;
  for (const Token& token : tokens) text += token.text;
  return text;
}

std::string normalized(const Tokens& given) {
  Tokens tokens = given;
  for (bool again = true; again;) {
    again = false;
    if (tokens.size() > 4 && tokens[0].is("static_cast")) {
      std::size_t open = 1;
      while (open < tokens.size() && !tokens[open].is("(")) ++open;
      if (open < tokens.size() && closing(tokens, open) == tokens.size() - 1) {
        tokens = part(tokens, open + 1, tokens.size() - 1);
        again = true;
      }
    } else if (tokens.size() > 3 && tokens[0].is("(")) {
      const std::size_t close = closing(tokens, 0);
      if (close == tokens.size() - 1) {
        tokens = part(tokens, 1, close);
        again = true;
      } else if (close == 2 && tokens[1].is_word() && tokens[3].is_word()) {
        tokens = part(tokens, 3, tokens.size());
        again = true;
      }
    }
  }
  return spelled(tokens);
}

}  // namespace harness::adopt
