#include "harness/report/cell.h"

#include <catch2/catch.hpp>

using namespace harness;
using namespace harness::report;

TEST_CASE("a number is written as is usual for its unit") {
  CHECK(text(Quantity{5120, Unit::ns}) == "5.12 us");
  CHECK(text(Quantity{125, Unit::s}) == "2m05s");
  CHECK(text(Quantity{0.44, Unit::s, 1}) == "0.4 s");
  CHECK(text(Quantity{1.5, Unit::usd}) == "$1.50");
  CHECK(text(Quantity{10.24, Unit::ratio}) == "10.2x");
  CHECK(text(Quantity{10.24, Unit::ratio, 2}) == "10.24x");
  CHECK(text(Quantity{0.34, Unit::share}) == "34 %");
  CHECK(text(Quantity{0.015, Unit::change, 2}) == "+1.50 %");
  CHECK(text(Quantity{8.12e11, Unit::per_s}) == "812 G/s");
  CHECK(text(Quantity{0.123456789}) == "0");
  CHECK(text(Quantity{0.123456789, Unit::number}) == "0.123457");
  CHECK(text(Quantity{0.123456789, Unit::rough}) == "0.123");
}

TEST_CASE("what is not known is a dash for people and null for programs") {
  CHECK(text(Quantity{{}, Unit::ns}) == "-");
  CHECK(text(Quantity{{}, Unit::usd}) == "unknown");
  CHECK(text(Cell()).empty());
  CHECK(text(range(1000, std::nullopt, Unit::ns)) == "-");
  CHECK(cell_json(Quantity{{}, Unit::ns}) == json{{"value", nullptr}, {"unit", "ns"}});
  CHECK(cell_json(cell(json())).is_null());
}

TEST_CASE("words and numbers behind each other are one place") {
  const Cell cell = Cell::of("of ", Quantity{310, Unit::s}, Cell::of(", ", Quantity{2}));
  CHECK(text(cell) == "of 5m10s, 2");
  CHECK(cell_json(cell) == json{"of ", {{"value", 310.0}, {"unit", "s"}}, ", ", 2});
}

TEST_CASE("whole numbers of the record keep all their digits") {
  CHECK(text(cell(1234567)) == "1234567");
  CHECK(text(cell(18446744073709551615u)) == "18446744073709551615");
  CHECK(text(cell(0.1234567)) == "0.123457");
  CHECK(text(cell(json{1, 2})) == "[1,2]");
}
