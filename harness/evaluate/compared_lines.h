#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/core/memory_check.h"
#include "harness/core/switch_case.h"

namespace harness {

/// A line of a source, without comments and with single spaces.
std::string plain_line(const std::string& line);

/// A function of a source as its tokens stand there: the same text without comments, with single spaces.
struct FunctionText {
  std::size_t begin = 0, end = 0;  // its first and last line, from 1
  std::string text;
};
/// In their order; those of classes and namespaces are each by itself.
std::vector<FunctionText> functions_of(const std::string& source);

/// Where offsets into the code of a build are (DeviceKind::source_lines, columns, within_functions).
struct SitePlaces {
  using Sites = std::vector<std::uint64_t>;
  std::function<std::map<std::uint64_t, std::string>(const Sites&)> lines;
  std::function<std::map<std::uint64_t, std::uint32_t>(const Sites&)> columns;
  std::function<std::set<std::uint64_t>(const Sites&)> within_functions;
};

/// What many launches of one build tell of the comparisons in the candidate's own text.
///
/// A comparison follows the inputs where other inputs of the same sizes give it other operands; the rest follow sizes,
/// threads and places alone.
///
/// A compiler copies comparisons: where it unrolls or peels a loop, inlines a function or makes an instance of a
/// template. Copies stand in the same column of the same line, and are one comparison: what one of them saw counts.
class ComparedLines {
 public:
  /// `sources` must outlive this.
  ComparedLines(SitePlaces places, const std::vector<SourceFile>& sources);

  struct News {
    ComparedSite seen;
    bool first = false;  // nothing had reached it
  };
  /// Comparisons that went a way in this launch that they had not gone before. `point` is the one of the domain where
  /// it was.
  std::vector<News> learn(const std::vector<RawFinding>& said, const Config& point);
  /// What inputs that no contract means tell: which comparisons follow the inputs, and nothing else. A value that all
  /// others leave at its bound (`int(x * 1e-18f)` is 0) moves there.
  void learn_what_follows(const std::vector<RawFinding>& said, const Config& point);

  std::size_t count() const { return comparisons().size(); }

  struct Line {
    std::string place, text;  // "10_warp.cu:41", "if (sum > 1e7f)"
    std::size_t comparisons = 0;
    bool infinite = true;  // only infinities, or NaN, would turn them
    std::string function;  // that it stands in, as FunctionText::text; "": in none
    /// Where in `text` they stand, from 0; npos: not known, or not in the text itself.
    std::vector<std::size_t> positions;
  };
  /// Sites of comparisons that went one way only, or whose two sides were to be equal and never were, whatever they
  /// follow. The site that was seen last is the first.
  std::vector<std::uint64_t> open() const;
  /// Lines with comparisons that went one way only.
  std::vector<Line> one_way() const;
  /// Of these the ones that follow the inputs; and where two sides were to be equal (`==`, `!=`), never were. A
  /// floating comparison that was reached with one kind of inputs only counts as following them. Not the first test of
  /// a loop that was always entered: its other tests turned.
  std::vector<Line> unturned() const;

 private:
  struct Place {
    const SourceFile* file = nullptr;  // null: not the candidate's own text
    std::size_t line = 0;
    std::uint32_t column = 0;      // 0: not known, or of a function of the device
    bool within_function = false;  // of the device, that the line calls
    std::size_t seen = 0;          // it is the n-th
  };
  struct Comparison {
    const Place* place = nullptr;
    ComparedSite seen;         // all copies together
    std::string text;          // of its line
    std::size_t position = 0;  // in that, as in Line
    bool follows = false, infinite = true;
    std::vector<std::uint64_t> sites;
    bool open() const;
  };
  std::vector<Comparison> comparisons() const;
  void find_places(const std::vector<RawFinding>& said);
  void compare_operands(const std::vector<RawFinding>& said, const Config& point);
  template <typename F>
  std::vector<Line> lines_where(F holds) const;  // holds(comparison)

  SitePlaces asked_;
  std::map<std::string, const SourceFile*> sources_;  // by file name
  std::map<const SourceFile*, std::vector<FunctionText>> functions_;
  std::map<std::uint64_t, ComparedSite> sites_;
  std::map<std::uint64_t, Place> places_;
  std::map<Config, std::map<std::uint64_t, std::uint64_t>> operands_;  // by point and site
  std::set<std::uint64_t> following_, steady_;
};

}  // namespace harness
