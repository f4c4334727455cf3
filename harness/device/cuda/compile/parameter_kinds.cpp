#include "harness/device/cuda/compile/parameter_kinds.h"

#include "harness/core/ptx_lexer.h"

namespace harness::cuda {
namespace {

/// One declaration, from ".param" to "," or ")": its words and whether it is an array.
ParameterKind kind_of(const std::vector<std::string_view>& words, bool array) {
  if (array) return ParameterKind::unknown;
  for (const std::string_view word : words)
    if (word == "ptr") return ParameterKind::pointer;
  for (const std::string_view word : words) {
    if (word == "f32" || word == "f64") return ParameterKind::floating;
    for (const std::string_view integer : {"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "b32", "b64"})
      if (word == integer) return ParameterKind::integer;
  }
  return ParameterKind::unknown;
}

/// From the bracket behind the entry's name to the one that closes it.
std::vector<ParameterKind> read_parameters(PtxLexer& lexer) {
  std::vector<ParameterKind> kinds;
  std::vector<std::string_view> words;
  bool array = false;
  for (PtxToken token; lexer.next(token);) {
    if (token.kind == PtxToken::Kind::word) words.push_back(token.text);
    if (token.text == "[") array = true;
    if (token.text != "," && token.text != ")") continue;
    if (!words.empty()) kinds.push_back(kind_of(words, array));
    words.clear();
    array = false;
    if (token.text == ")") break;
  }
  return kinds;
}

}  // namespace

std::map<std::string, std::vector<ParameterKind>> parameter_kinds(std::string_view ptx) {
  std::map<std::string, std::vector<ParameterKind>> entries;
  PtxLexer lexer(ptx);
  for (PtxToken token; lexer.next(token);) {
    if (token.kind != PtxToken::Kind::word || token.text != "entry") continue;
    if (!lexer.next(token) || token.kind != PtxToken::Kind::word) continue;
    const std::string name(token.text);
    if (lexer.next(token) && token.text == "(") entries[name] = read_parameters(lexer);
  }
  return entries;
}

}  // namespace harness::cuda
