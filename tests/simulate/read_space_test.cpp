#include "harness/simulate/read_space.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/simulate/score.h"

using namespace harness;
using namespace harness::simulate;

namespace {

const std::string kSpaces = std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/spaces/";

std::string refusal(const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / ("harness-space-" + std::to_string(getpid()) + ".json");
  std::ofstream(file) << text;
  std::string said;
  try {
    read_space(file.string());
  } catch (const Error& error) {
    said = error.what();
  }
  std::filesystem::remove(file);
  return said;
}

const Record& record_of(const RecordedSpace& space, std::int64_t x, std::int64_t y, std::int64_t tile,
                        std::int64_t padding) {
  const auto found =
      space.find("recorded", {{"block_size_x", x}, {"block_size_y", y}, {"tile", tile}, {"padding", padding}});
  REQUIRE(found);
  return space.records[*found];
}

}  // namespace

TEST_CASE("a Kernel Tuner cache becomes a space, failures and costs included") {
  const RecordedSpace space = read_space(kSpaces + "tile.json");
  CHECK(space.name == "spaces/tile");
  CHECK(space.device == "synthetic");
  CHECK(space.records.size() == 90);
  REQUIRE(space.arm.variants.size() == 1);
  CHECK(space.arm.variants[0].second.parameters[0].name == "block_size_x");
  const Record& passed = record_of(space, 32, 4, 2, 1);
  CHECK(passed.outcome == OutcomeKind::passed);
  CHECK(*passed.time_ms == Approx(1.04));
  CHECK(passed.cost_s == Approx((600 + 5 + 20.8 + 1.5) / 1000));
  const Record& refused = record_of(space, 128, 4, 4, 0);
  CHECK(refused.outcome == OutcomeKind::compile_error);
  CHECK_FALSE(refused.time_ms);
  CHECK(refused.cost_s == Approx(0.8065));
  CHECK(record_of(space, 64, 4, 4, 0).outcome == OutcomeKind::crashed);
  CHECK_FALSE(space.find("recorded", {{"block_size_x", std::int64_t{128}},
                                      {"block_size_y", std::int64_t{8}},
                                      {"tile", std::int64_t{1}},
                                      {"padding", std::int64_t{0}}}));
}

TEST_CASE("the same space packed and cut short, and as T4, is the same") {
  const RecordedSpace whole = read_space(kSpaces + "tile.json");
  for (const char* file : {"tile_unclosed.json.gz", "tile_t4.json"}) {
    CAPTURE(file);
    const RecordedSpace other = read_space(kSpaces + file);
    CHECK(other.arm.variants[0].second.points.size() == whole.arm.variants[0].second.points.size());
    REQUIRE(other.records.size() == whole.records.size());
    const Yardstick a(whole), b(other);
    CHECK(a.budget_s() == Approx(b.budget_s()).epsilon(1e-12));
    CHECK(a.median_ms() == b.median_ms());
    CHECK(*record_of(other, 32, 4, 2, 1).time_ms == *record_of(whole, 32, 4, 2, 1).time_ms);
  }
}

TEST_CASE("a packed file is unpacked up to a bound") {
  const std::string packed = kSpaces + "tile_unclosed.json.gz";
  const std::size_t bytes = read_text(packed).size();
  CHECK(bytes > 2 * std::filesystem::file_size(packed));
  CHECK(read_text(packed, bytes).size() == bytes);
  CHECK_THROWS_WITH(read_text(packed, bytes - 1), Catch::Contains("holds more than"));
}

TEST_CASE("what is no space is refused in a sentence") {
  CHECK_THAT(refusal("{}"), Catch::Contains("is no recorded space"));
  CHECK_THAT(refusal("{\"cache\": {"), Catch::Contains("is not JSON"));
  CHECK_THAT(
      refusal(R"({"tune_params_keys": ["A"], "tune_params": {"A": [1]}, "cache": {"1": {"A": 1, "time": 2}, oops}})"),
      Catch::Contains("is not JSON"));
  CHECK_THAT(refusal(R"({"tune_params_keys": ["A"], "tune_params": {"A": [1]}, "cache": {"1": {"time": 2}}})"),
             Catch::Contains("lacks the parameter 'A'"));
  CHECK_THAT(
      refusal(
          R"({"tune_params_keys": ["A"], "tune_params": {"A": [1]}, "cache": {"1": {"A": 1, "time": "InvalidConfig"}}})"),
      Catch::Contains("no configuration that passed"));
  CHECK_THAT(refusal("{\"harness_export\":1}\n"), Catch::Contains("holds no iterations"));
  CHECK_THROWS_WITH(read_space("/nonexistent/space.json"),
                    Catch::Contains("there is no file '/nonexistent/space.json'"));
  CHECK_THROWS_WITH(read_space(kSpaces + "tile.json", "a/b"), Catch::Contains("leave out --arm"));
}

TEST_CASE("a time that is not a number counts as a failure, as Python writes it") {
  const std::string text =
      R"({"tune_params_keys": ["A"], "tune_params": {"A": [1, 2]}, "cache": {
         "1": {"A": 1, "time": NaN, "compile_time": 5}, "2": {"A": 2, "time": 3.5, "note": "NaN, Infinity"}}})";
  const RecordedSpace space = read_kernel_tuner(text, "x/a.json");
  REQUIRE(space.records.size() == 2);
  CHECK_FALSE(space.records[0].time_ms);
  CHECK(space.records[0].cost_s == Approx(0.005));
  CHECK(*space.records[1].time_ms == 3.5);
}
