#include "harness/package/folder/dispatch.h"

#include <catch2/catch.hpp>

using namespace harness;
using namespace harness::package;

namespace {

MeasuredPoint at(std::int64_t a, std::int64_t b, const std::string& variant, double time_ns, double original_ns = 100) {
  MeasuredPoint made{"GPU", {}, {}, original_ns};
  made.workload.name = "a" + std::to_string(a) + "b" + std::to_string(b);
  made.workload.values = {{"a", a}, {"b", b}, {"flag", false}};
  if (!variant.empty()) made.runs.push_back({1, 1, {"k", variant, "", {}}, time_ns, original_ns, {}, true});
  return made;
}

std::string conditions(const DispatchRule& rule) {
  std::string text;
  for (const Condition& each : rule.conditions) {
    for (const std::string& field : each.fields) text += field + " ";
    text += to_text(each.lo) + ".." + to_text(each.hi) + "; ";
  }
  return text;
}

}  // namespace

TEST_CASE("a measured point is won by the fastest that beats the original there") {
  std::vector<MeasuredPoint> points{at(1, 1, "10_x", 50), at(2, 5, "10_x", 120), at(3, 7, "", 0)};
  points[0].runs.push_back({2, 1, {"k", "20_y", "", {}}, 40, 100.0, {}, true});
  const Dispatch made = make_dispatch(points, 0, {});
  CHECK(made.chosen == std::vector<int>{1, -1, -1});
  REQUIRE(made.rules.size() == 1);
  CHECK(conditions(made.rules[0]) == "a 1..1; b 1..1; flag false..false; ");
  CHECK(made.winners[0].candidate.variant == "20_y");
}

TEST_CASE("an interval that does not lie clear of the original wins nothing") {
  std::vector<MeasuredPoint> points{at(1, 1, "10_x", 99)};
  points[0].runs[0].speedup_lo = 0.98;
  CHECK(make_dispatch(points, 0, {}).rules.empty());
}

TEST_CASE("between two measured neighbours with one winner that winner runs, and nowhere beyond") {
  const Dispatch made = make_dispatch({at(1, 10, "10_x", 50), at(1, 30, "10_x", 50)}, 0, {});
  REQUIRE(made.rules.size() == 3);
  CHECK(conditions(made.rules[2]) == "a 1..1; flag false..false; b 10..30; ");
}

TEST_CASE("sizes that are equal at both ends move together") {
  const Dispatch made = make_dispatch({at(16, 16, "10_x", 50), at(64, 64, "10_x", 50)}, 0, {});
  REQUIRE(made.rules.size() == 3);
  CHECK(conditions(made.rules[2]) == "flag false..false; a b 16..64; ");
  CHECK(make_dispatch({at(16, 8, "10_x", 50), at(64, 64, "10_x", 50)}, 0, {}).rules.size() == 2);
}

TEST_CASE("what was measured in between, another winner or the original, ends a range") {
  const auto ends = [](const MeasuredPoint& between) {
    return make_dispatch({at(1, 10, "10_x", 50), between, at(1, 30, "10_x", 50)}, 0, {}).rules.size();
  };
  CHECK(ends(at(1, 20, "20_y", 40)) == 3);
  CHECK(ends(at(1, 20, "", 0)) == 2);
  CHECK(ends(at(1, 20, "10_x", 50)) == 5);  // three points, and two ranges that meet
  CHECK(ends(at(2, 20, "20_y", 40)) == 4);  // of another a: not between
}

TEST_CASE("a size that is compiled in spans no range, nor do two devices") {
  CHECK(make_dispatch({at(1, 10, "10_x", 50), at(1, 30, "10_x", 50)}, 0, {"b"}).rules.size() == 2);
  std::vector<MeasuredPoint> points{at(1, 10, "10_x", 50), at(1, 30, "10_x", 50)};
  points[1].device = "another GPU";
  CHECK(make_dispatch(points, 0, {}).rules.size() == 2);
}

TEST_CASE("a cut falls back to what was measured there, before the original") {
  std::vector<MeasuredPoint> points{at(1, 1, "10_x", 50), at(2, 9, "20_y", 10)};
  points[0].runs.push_back({3, 1, {"k", "20_y", "", {}}, 60, 100.0, {}, true});
  const Dispatch made = make_dispatch(points, 1, {});
  REQUIRE(made.cuts.size() == 1);
  CHECK(made.cuts[0].candidate.variant == "10_x");
  CHECK(made.cuts[0].costs[0].instead == "20_y");
  CHECK(made.cuts[0].costs[0].to_ns == 60);
  CHECK(made.chosen == std::vector<int>{1, 0});
}

TEST_CASE("the cells of a tuned table come in the place of ranges between measured points") {
  const std::vector<MeasuredPoint> points{at(1, 10, "10_x", 50), at(1, 30, "10_x", 50), at(1, 90, "20_y", 40)};
  TunedTable table;
  table.origin = json::object();
  const auto cell = [](const std::string& variant, std::int64_t lo, std::int64_t hi) {
    return TunedCell{"GPU", {"k", variant, "", {}}, at(1, lo, "", 0).workload, {{{"b"}, lo, hi}}};
  };
  table.cells = {cell("10_x", 7, 17), cell("20_y", 18, 51), cell("30_z", 52, 120)};
  const Dispatch made = make_dispatch(points, 0, {}, table);
  REQUIRE(made.rules.size() == 5);  // three points and two cells; none from 10 to 30
  CHECK(conditions(made.rules[3]) == "a 1..1; flag false..false; b 7..17; ");
  CHECK(made.winners[made.rules[4].configuration].candidate.variant == "20_y");
  REQUIRE(made.cells_left_out.size() == 1);
  CHECK(made.cells_left_out[0] == "around a1b52 the original runs: 30_z won no measured point that is packaged");
  CHECK(make_dispatch(points, 0, {"b"}, table).rules.size() == 3);
}
