#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/program.h"

using namespace harness;
using namespace harness::tests;

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A home with a strategy that closes what fails, by a rule that carries the number 17.
struct Home {
  Home() {
    for (const char* folder : {"home/kernels/include/harness", "home/strategies/rules", "home/playbook"})
      std::filesystem::create_directories(scratch.path(folder));
    std::filesystem::copy(std::string(HARNESS_SOURCE_DIR) + "/playbook", scratch.path("home/playbook"));
  }
  Finished run(const std::vector<std::string>& arguments) const {
    return run_harness(arguments, {"HARNESS_HOME=" + scratch.path("home"), "HARNESS_DB=" + scratch.db()});
  }
  Scratch scratch;
};

}  // namespace

TEST_CASE("playbook lists the patterns, and prints one with its evidence") {
  const Home home;
  const Finished list = home.run({"playbook"});
  CHECK(list.status == 0);
  CHECK(list.out.find("roi-pivot") != std::string::npos);
  const Finished page = home.run({"playbook", "17"});
  CHECK(page.status == 0);
  CHECK(page.out.find("# 17 ROI pivot\n") == 0);
  CHECK(page.out.find("## Evidence\n\n") != std::string::npos);
  CHECK(page.out.find("No recorded decision has named this pattern yet.") != std::string::npos);
  const json all = parse_json(home.run({"playbook", "--json"}).out);
  REQUIRE(all.size() >= 40);
  for (const char* key : {"id", "name", "title", "summary", "techniques", "expect", "rules", "file", "evidence"})
    CHECK(all[0].contains(key));
  const json one = parse_json(home.run({"playbook", "roi-pivot", "--json"}).out);
  CHECK(one["id"] == 17);
  CHECK(one["evidence"]["applied"] == 0);
  CHECK(one["applications"] == json::array());
  CHECK(one["text"].get<std::string>() == text_of(home.scratch.path("home/playbook/17-roi-pivot.md")));
}

TEST_CASE("unknown and broken pages are refused in a sentence") {
  const Home home;
  const Finished unknown = home.run({"playbook", "roi-pivt"});
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("did you mean 'roi-pivot'") != std::string::npos);
  home.scratch.write("home/playbook/300-broken.md", "# 300 Broken\n");
  const Finished list = home.run({"playbook"});
  CHECK(list.status == 2);
  CHECK(list.err.find("harness: playbook/300-broken.md:") == 0);
  CHECK(list.out.find("roi-pivot") != std::string::npos);
  const Finished absent = home.run({"playbook", "17", "--db", home.scratch.path("absent.db")});
  CHECK(absent.status == 2);
  CHECK(absent.err.find("absent.db") != std::string::npos);
}

TEST_CASE("a scaffolded page reads as it is") {
  const Home home;
  const Finished made = home.run({"new", "pattern", "late-split"});
  CHECK(made.status == 0);
  CHECK(made.out.find("playbook/201-late-split.md") != std::string::npos);
  CHECK(home.run({"playbook", "201"}).status == 0);
  CHECK(home.run({"new", "pattern", "late-split"}).status == 2);
  const Finished misplaced = home.run({"new", "rule", "mine", "--campaign", "1"});
  CHECK(misplaced.status == 2);
  CHECK(misplaced.err.find("--campaign belongs to new pattern") != std::string::npos);
}

TEST_CASE("a page is begun from what happened in a campaign") {
  const Home home;
  const std::vector<std::string> shipped{"HARNESS_DB=" + home.scratch.db()};
  REQUIRE(run_harness({"import", std::string(HARNESS_SOURCE_DIR) + "/bench/h200/experiments.jsonl"}, shipped).status ==
          0);
  const Finished made = home.run({"new", "pattern", "tiles", "--campaign", "1"});
  INFO(made.err);
  REQUIRE(made.status == 0);
  const std::string page = text_of(home.scratch.path("home/playbook/201-tiles.md"));
  CHECK(page.find("| attention tiling | 930 | 930 passed |") != std::string::npos);
  CHECK(page.find("by the rule") == std::string::npos);
  CHECK(page.find("- the rule `plateau` decided") != std::string::npos);
  CHECK(page.find("Campaign 1: attention on NVIDIA H200") != std::string::npos);
  CHECK(home.run({"playbook", "tiles"}).status == 0);
  const Finished unknown = home.run({"new", "pattern", "more", "--campaign", "99"});
  CHECK(unknown.status == 2);
  CHECK(unknown.err.find("99") != std::string::npos);
}
