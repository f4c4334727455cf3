#pragma once
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "harness/core/json.h"

// What stands in a view: words, and numbers with their units. Whoever reads the view writes the numbers.
namespace harness::report {

/// What a number counts. `rough`: a number of which three digits say something; `change`: a share that was added or
/// taken away; `per_s`: so many a second.
enum class Unit { count, number, rough, ns, s, usd, ratio, share, change, per_s };

struct Quantity {
  std::optional<double> value;  // absent: not known
  Unit unit = Unit::count;
  int digits = -1;  // behind the point; -1: as many as is usual for the unit

  bool operator==(const Quantity&) const = default;
};

/// One place of a table, a card or a chart.
class Cell {
 public:
  using Part = std::variant<std::string, Quantity>;

  Cell() = default;  // blank
  Cell(const char* words) : parts_{Part(std::string(words))} {}
  Cell(std::string words) : parts_{Part(std::move(words))} {}
  Cell(Quantity number) : parts_{Part(number)} {}
  /// Words and numbers behind each other: "of ", {310, Unit::s}.
  template <typename... Parts>
  static Cell of(Parts&&... parts) {
    Cell cell;
    (cell.append(Cell(std::forward<Parts>(parts))), ...);
    return cell;
  }

  const std::vector<Part>& parts() const { return parts_; }
  bool operator==(const Cell&) const = default;

 private:
  void append(const Cell& other) { parts_.insert(parts_.end(), other.parts_.begin(), other.parts_.end()); }

  std::vector<Part> parts_;
};

/// From one to the other: "5.1 us to 5.3 us"; not known where an end is not.
Cell range(std::optional<double> lo, std::optional<double> hi, Unit unit, int digits = -1);
/// "1.2x" of two numbers; not known where one is not.
Quantity ratio_of(std::optional<double> above, std::optional<double> below);
/// A value of the record: a number, or words; other JSON as its text, null as not known.
Cell cell(const json& value);

/// For people: "5.12 us", "48 s", "$1.50", "10.2x", "34 %", "+1.5 %", "812 G/s"; "-" for what is not known.
std::string text(const Quantity& number);
std::string text(const Cell& cell);
/// For programs: words as a string; a number without a unit as such; others as {"value","unit"}, null where it is not
/// known; several parts as an array of these.
json cell_json(const Cell& cell);

}  // namespace harness::report
