#include <catch2/catch.hpp>

#include "tests/support/program.h"

using namespace harness;
using namespace harness::tests;

namespace {

Finished devices_of(const std::string& fleet) {
  const Scratch scratch;
  scratch.write("fleet.lua", fleet);
  return run_harness({"devices", "--fleet", scratch.path("fleet.lua"), "--json"});
}

}  // namespace

TEST_CASE("the nodes of a fleet file are started, behind any command, and say what they are") {
  const std::string start =
      std::string("{ \"sh\", \"-c\", \"echo Welcome; echo; exec ") + HARNESS_BINARY + " node --stdio\" }";
  const Finished found = devices_of(
      "return fleet { node { name = 'a', devices = { 'cpu' }, count = 2, usd_per_hour = 2 },\n"
      "  node { name = 'b', devices = { 'cpu' }, start = " +
      start +
      " },\n"
      "  node { name = 'gone', start = { 'false' }, wait_s = 2 } }");
  REQUIRE(found.status == 0);
  const json rows = json::parse(found.out);
  REQUIRE(rows.size() == 4);
  std::vector<std::string> names;
  for (const json& row : rows) names.push_back(row.at("node"));
  CHECK(names == std::vector<std::string>{"a-1", "a-2", "b", "gone"});
  for (int i = 0; i < 3; ++i) CHECK(rows[static_cast<std::size_t>(i)].at("usable") == true);
  CHECK(rows[0].at("usd_per_hour") == 2.0);
  // Processors of one machine have its name: each node adds its own.
  CHECK(rows[0].at("uuid") != rows[1].at("uuid"));
  CHECK(rows[1].at("uuid").get<std::string>().ends_with("/a-2"));
  CHECK(rows[0].at("calibration").at("bytes_per_s") > 1e8);
  CHECK(rows[2].at("calibration").at("operations_per_s") > 1e8);
  CHECK(rows[2].at("waited_s") > 0.0);
  CHECK(rows[3].at("calibration").is_null());
  CHECK(rows[3].at("usable") == false);
  CHECK(rows[3].at("why").get<std::string>().find("process ended") != std::string::npos);
}

TEST_CASE("a device beside a fleet file is refused, also the plain one of a resume") {
  const Scratch scratch;
  scratch.write("fleet.lua", "return fleet { node { name = 'a', devices = { 'cpu' } } }");
  for (const char* device : {"cpu", "cuda:0,cuda:1"})
    for (const char* what : {"vector_scale", "--resume"}) {
      const Finished found = run_harness({"run", what, "--fleet", scratch.path("fleet.lua"), "--device", device, "--db",
                                          scratch.path("a.db"), "--budget", "5s"});
      CHECK(found.status == 2);
      CHECK_THAT(found.err, Catch::Contains("give no --device with it"));
    }
}

TEST_CASE("what is wrong in a fleet file is said with its place") {
  const auto refusal = [](const std::string& text) {
    const Finished found = devices_of(text);
    CHECK(found.status == 2);
    return found.err;
  };
  CHECK_THAT(refusal("return fleet { node { nme = 'a' } }"), Catch::Contains("no field 'nme'; did you mean 'name'?"));
  CHECK_THAT(refusal("return fleet { node { name = 'a', start = 'ssh gpu1' } }"),
             Catch::Contains("not a list of texts"));
  CHECK_THAT(refusal("return fleet {}"), Catch::Contains("the fleet has no node"));
  CHECK_THAT(refusal("return fleet { node { name = 'a' }, node { name = 'a' } }"), Catch::Contains("two nodes"));
  CHECK_THAT(refusal("return 1 +"), Catch::Contains("fleet.lua:1"));
  CHECK_THAT(refusal("os.execute('true')"), Catch::Contains("os"));
}

TEST_CASE("fleet files that are written can be read") {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"fleet", "ssh", "gpu1", "gpu2", "--folder", "/work/my project"},
        std::vector<std::string>{"fleet", "slurm", "--partition", "gpu", "--nodes", "2", "--gpus", "4"},
        std::vector<std::string>{"fleet", "ssh", "box", "--device", "cpu"},
        std::vector<std::string>{"fleet", "slurm", "--device", "cpu"}}) {
    const Finished written = run_harness(words);
    REQUIRE(written.status == 0);
    const bool on_processors = words.back() == "cpu";
    CHECK((written.out.find("\"cuda") == std::string::npos) == on_processors);
    CHECK((written.out.find("{ \"cpu\" }") != std::string::npos) == on_processors);
    if (words[1] == "slurm") CHECK((written.out.find("--gpus=1") == std::string::npos) == on_processors);
    CHECK(written.out.find("unbuffered") == std::string::npos);
    const Scratch scratch;
    // The commands of these nodes do not exist here: all that is asked is whether the file can be read.
    scratch.write("fleet.lua", written.out + "\n");
    const Finished found = run_harness({"devices", "--fleet", scratch.path("fleet.lua")}, {"PATH=/nowhere"});
    CHECK(found.status == 3);
    CHECK_THAT(found.err, Catch::Contains("no node of the fleet can be used"));
  }
}

TEST_CASE("a node talks only where it is told to") {
  const Finished found = run_harness({"node"});
  CHECK(found.status == 2);
  CHECK_THAT(found.err, Catch::Contains("harness node --stdio"));
}
