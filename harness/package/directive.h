#pragma once
#include <string>
#include <string_view>

namespace harness::package {

/// A line of the preprocessor. `word` is "include", "define", "pragma", "if", ... or "" for any other line.
struct Directive {
  std::string word;
  std::string name;     // include: the file, "" where a macro computes it; define: the macro; pragma: its first word
  bool quoted = false;  // include: "name", not <name>
};

/// Finds the directives of a text line by line; what stands in comments is none.
class DirectiveScan {
 public:
  Directive next(std::string_view line);

 private:
  bool in_comment_ = false, joined_ = false;  // joined: the line before ended in a backslash
};

/// Whether a second inclusion of the header would be empty.
bool guards_itself(const std::string& header);

}  // namespace harness::package
