#include "harness/store/outside.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "harness/core/error.h"
#include "harness/store/history.h"
#include "tests/store/recorded.h"

// What programs outside of harness took on a workload: shown beside ours, never counted.
using namespace harness;
using namespace harness::store;
using namespace harness::store::test;
using Catch::Matchers::Contains;

namespace {

json a_figure(const std::string& program, double time_us) {
  const AttemptRecord attempt = an_attempt(1, 1);
  return {{"kernel", attempt.candidate.kernel},
          {"workload", attempt.workload},
          {"program", program},
          {"method", "warm"},
          {"time_us", time_us}};
}

std::string a_file(const Folder& folder, const json& results, const std::string& date = "2026-11-25",
                   const std::string& device = "NVIDIA H200") {
  const std::string path = folder / "outside.json";
  std::ofstream(path) << json{{"device", device}, {"date", date}, {"results", results}}.dump();
  return path;
}

}  // namespace

TEST_CASE("best and show name the fastest outside program by its newest figure, and nothing else changes") {
  auto store = Store::in_memory();
  const Folder folder;
  const auto campaign = store->begin_campaign(a_campaign("NVIDIA H200"));
  const auto iteration = record(*store, an_attempt(campaign, 1), passed(4000), true);
  const json before = best(*store, {})[0];

  CHECK(import_outside(*store,
                       a_file(folder, json::array({a_figure("flash", 2), a_figure("cudnn", 3)}), "2026-11-01")) == 2);
  CHECK(import_outside(*store, a_file(folder, json::array({a_figure("flash", 5)}), "2026-11-02")) == 1);
  CHECK(import_outside(*store, a_file(folder, json::array({a_figure("other card", 1)}), "2026-11-02", "NVIDIA H100")) ==
        1);

  json after = best(*store, {})[0];
  CHECK(after["outside_program"] == "cudnn");
  CHECK(after["outside_ns"] == 3000.0);
  for (const char* key : {"outside_program", "outside_ns", "outside_method", "outside_measured"}) {
    CHECK(before[key].is_null());
    after[key] = nullptr;
  }
  CHECK(after == before);
  CHECK(show(*store, iteration, false)["outside"] ==
        json{{"program", "cudnn"}, {"time_ns", 3000.0}, {"method", "warm"}, {"measured", "2026-11-01"}});
}

TEST_CASE("a figure of a day is added once, and a refusal is no figure") {
  auto store = Store::in_memory();
  const Folder folder;
  const std::string file =
      a_file(folder, json::array({a_figure("flash", 2), {{"program", "efficient"}, {"refused", "no"}}}));
  CHECK(import_outside(*store, file) == 1);
  CHECK(import_outside(*store, file) == 0);
}

TEST_CASE("a malformed outside figure is named, and nothing of its file is imported") {
  auto store = Store::in_memory();
  const Folder folder;
  json bad = a_figure("flash", 2);
  const auto refused = [&](const std::string& file, const std::string& why) {
    CHECK_THROWS_WITH(import_outside(*store, file), Contains(why) && Contains("nothing was imported"));
    CHECK(value(*store, "SELECT count(*) FROM outside_figure") == 0);
  };
  bad["time_us"] = -1;
  refused(a_file(folder, json::array({a_figure("cudnn", 2), bad})), "result 2: \"time_us\" is no number above 0");
  bad["time_us"] = "4";
  refused(a_file(folder, json::array({bad})), "\"time_us\"");
  bad = a_figure("", 2);
  refused(a_file(folder, json::array({bad})), "result 1: \"program\" is missing, or is no text");
  refused(a_file(folder, json::array({a_figure(std::string(301, 'x'), 2)})), "longer than 300");
  refused(a_file(folder, json::array({3})), "result 1: this is no object");
  refused(a_file(folder, 7), "\"results\"");
  refused(a_file(folder, json::array({a_figure("flash", 2)}), "yesterday"), "\"date\"");
  refused(a_file(folder, json::array({a_figure("flash", 2)}), "2026-11-01", ""), "\"device\"");
  std::ofstream(folder / "no.json") << "{";
  CHECK_THROWS_WITH(import_outside(*store, folder / "no.json"), Contains("is no JSON"));
}
