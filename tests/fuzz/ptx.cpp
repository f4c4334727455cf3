#include <cstdlib>

#include "harness/core/ptx_lexer.h"
#include "harness/device/cuda/compile/constant_use.h"
#include "tests/fuzz/entries.h"

namespace harness::fuzz {
namespace {

/// Tokens lie in the text, one behind the other, on lines that never go back.
void read(std::string_view text, PtxReading reading) {
  PtxLexer lexer(text, reading);
  PtxToken token;
  const char* end = text.data();
  int line = 1;
  while (lexer.next(token)) {
    const bool inside = token.text.data() >= end && token.text.data() + token.text.size() <= text.data() + text.size();
    if (!inside || token.line < line) std::abort();
    end = token.text.data() + token.text.size();
    line = token.line;
  }
}

}  // namespace

void ptx(const std::uint8_t* data, std::size_t bytes) {
  const std::string_view text(reinterpret_cast<const char*>(data), bytes);
  for (const bool escapes : {false, true})
    for (const bool multiline : {false, true}) read(text, {escapes, multiline});
  cuda::only_read({"$str", "scale", "calls", "tile"}, text);
}

}  // namespace harness::fuzz
