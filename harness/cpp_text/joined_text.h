#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace harness::cpp_text {

/// Where compilers read one text differently. As set here g++ 12 reads it for C++17.
struct Dialect {
  bool trigraphs = false;         // "??=" is "#" and "??/" a backslash: NVRTC and g++ for C++14
  bool blank_splices = true;      // a backslash splices lines with blanks behind it, too: g++, not NVRTC
  bool returns_end_lines = true;  // a lone carriage return ends a line: g++; to NVRTC it is a blank
  bool suffixes = true;           // in `"a"R"(b)"` R is the suffix of "a": NVRTC, and g++ unless a macro is called R
  bool header_names = true;       // `<a/*b>` of an #include is a name: not where g++ skips the line
};

/// All dialects in which this text may be read in another way, the plain one first.
std::vector<Dialect> dialects_of(std::string_view text);

/// Translation phases 1 and 2: a text without its byte order mark, trigraphs replaced, lines spliced.
/// `written` must outlive this.
class JoinedText {
 public:
  JoinedText(std::string_view written, const Dialect& dialect);
  JoinedText(const JoinedText&) = delete;
  JoinedText& operator=(const JoinedText&) = delete;

  std::string_view text() const { return text_; }
  /// Where the character at `at` is written.
  std::size_t written(std::size_t at) const;
  /// Behind the character before `at`, as it is written: a splice there is left out.
  std::size_t written_end(std::size_t at) const;
  /// The first character that is written at `place` or behind it.
  std::size_t joined(std::size_t place) const;

 private:
  /// From `joined` on characters are written from `written` on, up to the next run.
  struct Run {
    std::size_t joined = 0, written = 0;
  };
  void replace(const Dialect& dialect);
  void begin_run(std::size_t written) { runs_.push_back({kept_.size(), written}); }

  std::string_view source_, text_;
  std::string kept_;  // text_, where it is not source_
  std::vector<Run> runs_;
};

}  // namespace harness::cpp_text
