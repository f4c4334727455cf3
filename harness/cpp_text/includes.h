#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/cpp_text/text.h"

namespace harness::cpp_text {

/// A file that a text names: in an #include or one of its relatives, or in a question whether there is such a file.
struct Include {
  std::string directive;  // include, include_next, import, embed; __has_include of a question
  std::string name;       // "" where a macro computes it
  bool quoted = false;    // "name", not <name>
  std::string macro;      // that computes it; "" and no name: something else does
  std::string argument;   // of that macro
  int line = 1;

  bool operator==(const Include&) const = default;
};

/// `#define NAME text` or `#define NAME(parameter) text`.
struct MacroDefinition {
  std::string name;
  std::vector<std::string> parameters;
  bool takes_arguments = false;
  Tokens text;
};

/// What one directive names; nothing of one that names no file.
std::optional<Include> include_of(const Directive& directive);

/// Where in a condition's text a question for a file stands, as it is written, and the file.
struct FileQuestion {
  std::size_t begin = 0, end = 0;  // from `__has_include` to behind its `)`
  Include include;
};
std::vector<FileQuestion> file_questions(const Directive& directive);

std::optional<MacroDefinition> definition_of(const Directive& directive);

/// All that a text may read, whatever its conditions decide and whichever of the compilers reads it. Tokens of the
/// macros point into `text`.
struct NamedFiles {
  std::vector<Include> includes;  // in their order; behind them those that only some compilers see
  std::vector<MacroDefinition> macros;
};
NamedFiles named_files(std::string_view text);

/// The definitions of all texts that are compiled together.
class HeaderMacros {
 public:
  /// `outside`: names that have a value before the text begins (-D).
  explicit HeaderMacros(std::set<std::string> outside) : outside_(std::move(outside)) {}

  /// Adds what one text defines; keeps no part of it.
  void add(const std::vector<MacroDefinition>& macros);

  /// The names that a computed include may mean, one for each definition, as `name` and `quoted`. Nothing: one of the
  /// definitions is no plain name of a file, or there is none.
  std::optional<std::vector<Include>> names_of(const Include& computed) const;

 private:
  struct Meaning {
    std::string parameter;            // "": it takes no argument
    std::vector<std::string> pieces;  // of a name in <>; one piece of a name in ""
    bool quoted = false;
    std::string alias;  // another macro
    bool unclear = false;
  };
  static Meaning meaning_of(const MacroDefinition& macro);
  bool add_names(const std::string& macro, const Include& computed, int depth, std::vector<Include>& names) const;

  std::set<std::string> outside_;
  std::multimap<std::string, Meaning> meanings_;
};

}  // namespace harness::cpp_text
