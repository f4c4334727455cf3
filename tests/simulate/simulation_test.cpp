#include "harness/simulate/simulation.h"

#include <catch2/catch.hpp>
#include <set>

#include "harness/core/error.h"
#include "harness/simulate/read_space.h"

using namespace harness;
using namespace harness::simulate;

namespace {

RecordedSpace tile_space() {
  return read_space(std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/spaces/tile.json");
}

/// Asks for the points of the space one after the other, from `next` on, and remembers what it was told.
class InOrder : public Search {
 public:
  explicit InOrder(const RecordedSpace& space, std::size_t next = 0) : space_(space), next_(next) {}
  ScriptIdentity identity() const override { return {"in-order", ""}; }
  std::optional<SearchAsk> ask() override {
    const auto& [variant, points] = space_.arm.variants[0];
    if (next_ == points.points.size()) return std::nullopt;
    return SearchAsk{variant, configuration(points, next_), {}};
  }
  void tell(const SearchResult& result) override {
    told.push_back(result);
    ++next_;
  }
  void skip() { ++next_; }
  std::vector<SearchResult> told;

 private:
  const RecordedSpace& space_;
  std::size_t next_;
};

}  // namespace

TEST_CASE("a search is told what was recorded and charged for it, failures included") {
  const RecordedSpace space = tile_space();
  InOrder search(space);
  const Repeat repeat = run_search(space, search, 7, 1e9);
  CHECK(repeat.exhausted);
  CHECK(repeat.evaluations == space.records.size());
  double spent = 0, best = 1e9;
  std::size_t improvements = 0;
  for (std::size_t i = 0; i < space.records.size(); ++i) {
    const Record& record = space.records[i];
    spent += record.cost_s;
    CHECK(search.told[i].outcome == record.outcome);
    CHECK(search.told[i].cost_s == record.cost_s);
    CHECK(search.told[i].time_ns.has_value() == record.time_ms.has_value());
    if (!record.time_ms || *record.time_ms >= best) continue;
    best = *record.time_ms;
    REQUIRE(improvements < repeat.trace.size());
    CHECK(repeat.trace[improvements].first == spent);
    CHECK(repeat.trace[improvements++].second == best);
  }
  CHECK(improvements == repeat.trace.size());
  CHECK(repeat.spent_s == spent);
}

TEST_CASE("a search ends once its budget is spent") {
  const RecordedSpace space = tile_space();
  InOrder search(space);
  const Repeat repeat = run_search(space, search, 0, 2.0);
  CHECK_FALSE(repeat.exhausted);
  CHECK(repeat.spent_s > 2.0);
  CHECK(repeat.spent_s - search.told.back().cost_s <= 2.0);
}

TEST_CASE("several evaluations are under way where a search takes several, and each is told once") {
  class Several : public InOrder {
   public:
    using InOrder::InOrder;
    bool takes_several() const override { return true; }
    void put_off() override { skip(); }
    void tell_late(const SearchAsk& asked, const SearchResult& result) override {
      late.push_back(to_text(asked.config));
      told.push_back(result);
    }
    std::vector<std::string> late;
  };
  const RecordedSpace space = tile_space();
  Several search(space);
  const Repeat repeat = run_search(space, search, 7, 1e9, 3);
  CHECK(repeat.evaluations == space.records.size());
  CHECK(search.told.size() == space.records.size());
  CHECK(search.late.size() > space.records.size() / 2);  // not those behind which nothing was asked when they ended
  CHECK(std::set<std::string>(search.late.begin(), search.late.end()).size() == search.late.size());
  InOrder one(space);
  CHECK(repeat.spent_s == Approx(run_search(space, one, 7, 1e9, 3).spent_s));
}

TEST_CASE("repeats come in the order of their seeds, however many run at a time") {
  const RecordedSpace space = tile_space();
  const auto make = [&](std::uint64_t seed) { return std::make_unique<InOrder>(space, seed); };
  const auto one = run_repeats(space, make, 9, 3, 5.0, 1);
  const auto four = run_repeats(space, make, 9, 3, 5.0, 4);
  REQUIRE(one.size() == 9);
  for (std::size_t i = 0; i < one.size(); ++i) {
    CHECK(one[i].seed == 3 + i);
    CHECK(four[i].seed == one[i].seed);
    CHECK(four[i].trace == one[i].trace);
  }
}

TEST_CASE("a search that fails ends the simulation with its sentence") {
  const RecordedSpace space = tile_space();
  const auto make = [&](std::uint64_t seed) -> std::unique_ptr<Search> {
    if (seed == 2) throw bad_input("mine.lua:3: it fails");
    return std::make_unique<InOrder>(space);
  };
  CHECK_THROWS_WITH(run_repeats(space, make, 4, 0, 5.0, 2), "mine.lua:3: it fails");
}
