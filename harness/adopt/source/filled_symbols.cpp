#include "harness/adopt/source/filled_symbols.h"

#include <algorithm>
#include <initializer_list>

namespace harness::adopt {
namespace {

/// The names in the first argument of every call of one of these, `place` behind the opening bracket: c of
/// (ns::c, host, bytes), ("c", ...) and (&c, ...).
std::set<std::string> symbols_given_to(const SourceText& file, std::initializer_list<const char*> calls,
                                       std::size_t place) {
  std::set<std::string> names;
  const Tokens& tokens = file.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (std::ranges::none_of(calls, [&](const char* call) { return tokens[i].is(call); })) continue;
    std::size_t open = i + 1;
    while (open < tokens.size() && !tokens[open].is("(") && !tokens[open].is(";")) ++open;  // a template's argument
    const std::size_t end = closing(tokens, open);
    std::size_t argument = 0;
    std::string last;
    for (std::size_t k = open + 1; k < end; ++k) {
      if (tokens[k].is("(") || tokens[k].is("[")) {
        k = closing(tokens, k);
        continue;
      }
      if (tokens[k].is(",") && argument++ == place) break;
      if (argument != place) continue;
      if (tokens[k].is_word()) last = tokens[k].text;
      else if (tokens[k].text.starts_with('"')) last = tokens[k].text.substr(1, tokens[k].text.size() - 2);
    }
    if (!last.empty()) names.insert(last);
  }
  return names;
}

}  // namespace

std::set<std::string> filled_symbols(const SourceText& file) {
  return symbols_given_to(file, {"cudaMemcpyToSymbol", "cudaMemcpyToSymbolAsync"}, 0);
}

std::set<std::string> addressed_symbols(const SourceText& file) {
  return symbols_given_to(file, {"cudaGetSymbolAddress"}, 1);
}

bool has_initializer(const SourceText& file, std::size_t place) {
  const Tokens& tokens = file.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].begin < place) continue;
    if (tokens[i].is("[")) i = closing(tokens, i);
    else if (tokens[i].is("=") || tokens[i].is("{")) return true;
    else if (tokens[i].is(";") || tokens[i].is(",")) return false;
  }
  return false;
}

}  // namespace harness::adopt
