#pragma once
#include <string>
#include <string_view>

#include "harness/core/json.h"

// Texts of a record, a source or a candidate come from strangers and end on terminals, which obey some characters: they
// move the cursor, answer in the name of the person, or show text in another order than it is read.
namespace harness {

enum class Lines {
  one,   // line ends and tabs become blanks: the text cannot pretend to be a line of its own
  many,  // they stay
};

/// The same text with every character that a terminal obeys shown as "\x1b" or "\u202e": C0 (but see Lines), DEL, C1,
/// line separators and the marks that change the direction of writing (Unicode 15, section 23.2 and UAX 9). Bytes that
/// are no UTF-8 are shown as "\xff".
std::string printable(std::string_view text, Lines lines);

/// Compact JSON (json_text) in which such characters stand as \u escapes: exact for programs, harmless on a terminal.
std::string printable_json(const json& value);

/// "1 workload", "2 workloads".
std::string counted(std::size_t count, const std::string& thing);

}  // namespace harness
