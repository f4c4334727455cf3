#pragma once
#include <string>
#include <string_view>
#include <vector>

// CUDA C++ taken apart as far as the source policy needs it: no parser, only comments, literals, words and assembly.
namespace harness::judge {

struct WordAt {
  std::string text;
  int line = 0;
  bool called = false;   // an opening parenthesis follows, or its address is taken: `f(`, `&f`
  bool defined = false;  // in the body of a macro: what the macro's use calls
};
/// A name in `__attribute__((...))` or `[[...]]`, without its underscores and namespace; or the first words of a
/// pragma.
struct NameAt {
  std::string text;
  int line = 0;
};
struct AsmText {
  std::string text;   // its string literals, joined
  std::string words;  // what else stands where literals should: macros
  int line = 0;
};
struct IncludeText {
  std::string directive;  // include, include_next, embed, import
  std::string name;       // "" where it is computed by a macro
  bool quoted = false;
  int line = 0;
};

struct SourceParts {
  std::vector<WordAt> words;
  std::vector<AsmText> assembly;
  std::vector<IncludeText> includes;
  std::vector<NameAt> attributes;
  std::vector<NameAt> pragmas;  // "unroll", "GCC optimize"
  std::vector<int> renumbered;  // lines with `#line`, or `# 3 "file"`
  /// `##` stands somewhere; what it may join: the words beside it, and words that are a whole argument or a whole
  /// macro.
  bool pastes = false;
  std::vector<std::string> pieces;
};

/// Lines that end in a backslash are joined; line numbers stay those of the file. `trigraphs`: "??=" is "#" and "??/" a
/// backslash, as in C++14 and before.
SourceParts take_apart(std::string_view text, bool trigraphs = false);

/// The first words ("cp", "mma", "mov") of the instructions in an assembly text.
std::vector<std::string> instructions_of(std::string_view assembly);

}  // namespace harness::judge
