#include "harness/adopt/source/token_lists.h"

#include <algorithm>

namespace harness::adopt {
namespace {

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
