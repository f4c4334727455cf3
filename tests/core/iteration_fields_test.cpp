#include "harness/core/iteration_fields.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/evaluations.h"

using namespace harness;
using namespace harness::tests;

TEST_CASE("no two fields of an iteration share a name") {
  std::set<std::string> names, columns, shown;
  for (const IterationField& field : iteration_fields()) {
    INFO(field.name);
    CHECK(names.insert(field.name).second);
    if (field.is(kColumn)) CHECK(columns.insert(field.column_name()).second);
    if (field.is(kLine) || field.is(kView)) CHECK(shown.insert(field.shown_name()).second);
  }
}

TEST_CASE("an export may lack the fields that came later, and no other") {
  const json whole = exported(row_of(passed(120), true, 17));
  for (const IterationField& field : iteration_fields()) {
    if (!field.is(kExport)) continue;
    INFO(field.name);
    json older = whole;
    REQUIRE(older.erase(field.name) == 1);
    if (field.lines > 0) CHECK_NOTHROW(imported(older));
    else CHECK_THROWS_AS(imported(older), json::exception);
  }
}

TEST_CASE("what a fleet's node says of an evaluation is what it found") {
  Evaluation evaluation = passed(120);
  evaluation.from_cache = true;
  evaluation.machine_load = 0.5;
  evaluation.anchor_ns = 7;  // only who leads the fleet can know it
  json wire;
  add_facts(wire, evaluation);
  Evaluation received;
  take_facts(wire, received);
  CHECK(received.binary_hash == "b1");
  CHECK(received.compiler == "NVRTC 13.0");
  CHECK(received.from_cache);
  CHECK(received.machine_load == 0.5);
  CHECK_FALSE(received.anchor_ns);
  wire.erase("compiler");
  CHECK_THROWS_AS(take_facts(wire, received), json::exception);
}
