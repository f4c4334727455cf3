#include "harness/adopt/source/template_head.h"

#include <vector>

namespace harness::adopt {

std::string template_head(const Source::Found& function) {
  const std::string text =
      function.file->text.substr(function.chunk->begin, function.chunk->body - function.chunk->begin);
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
