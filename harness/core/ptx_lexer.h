#pragma once
#include <cstddef>
#include <string_view>

// PTX as tokens (PTX ISA 8.5, 4.1 to 4.4): comments and white space vanish, strings are one token. One pass over the
// text, without a copy of it and without a state that grows: linear, also on 50 MB of nonsense.
namespace harness {

struct PtxToken {
  enum class Kind {
    word,    // an identifier, opcode, modifier or register: "ld", "global", "%clock64", "_Z1kPf"
    number,  // "0x1F", "0f3F800000", "16"
    text,    // what stands between two quotes
    mark,    // any other character, one at a time; "::" is two of them
  };
  Kind kind = Kind::mark;
  std::string_view text;
  int line = 0;  // from 1
};

/// Where the manual is silent an assembler may read a text in another way than we do. Whoever looks for something
/// reads the text in every way that `doubts` asks for, so that nothing hides in a string that is none.
struct PtxReading {
  bool escapes = false;    // a quote behind a backslash does not end a string
  bool multiline = false;  // nor does the end of a line
};

class PtxLexer {
 public:
  explicit PtxLexer(std::string_view text, PtxReading reading = {}, int first_line = 1)
      : text_(text), reading_(reading), line_(first_line) {}

  /// False at the end of the text. Text that is no PTX gives marks, never an error.
  bool next(PtxToken& token);

  /// So far a string has held what another reading would read otherwise: a backslash, the end of a line.
  PtxReading doubts() const { return doubts_; }

 private:
  bool skip_blank();
  PtxToken quoted();
  std::string_view text_;
  PtxReading reading_, doubts_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace harness
