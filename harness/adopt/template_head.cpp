#include "harness/adopt/template_head.h"

#include <vector>

namespace harness::adopt {

std::string template_head(const Source::Found& found) {
  const std::string text = found.file->text.substr(found.chunk->begin, found.chunk->body - found.chunk->begin);
  const std::vector<Token> tokens = tokens_of(text);
  if (tokens.empty() || !tokens[0].is("template")) return "";
  int depth = 0;
  for (const Token& token : tokens) {
    if (token.is("<")) ++depth;
    if (token.is(">") && --depth == 0) return text.substr(0, token.end) + "\n";
  }
  return "";
}

}  // namespace harness::adopt
