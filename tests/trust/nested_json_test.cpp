#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/program.h"

// 200 KB of brackets would take all of a stack wherever a value is copied, compared or written.
using namespace harness;
using namespace harness::tests;

namespace {

std::string brackets(const std::string& open, const std::string& close) {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += open;
  text += "1";
  for (int i = 0; i < 50'000; ++i) text += close;
  return text;
}

/// It ended by itself, with a sentence.
void check_refused(const Finished& finished) {
  INFO(finished.status << " " << finished.err.substr(0, 400));
  CHECK(finished.status < 128);
  CHECK(!(finished.err + finished.out).empty());
  CHECK(finished.err.find("unexpected") == std::string::npos);
}

}  // namespace

TEST_CASE("JSON that is nested without end is refused with a sentence wherever it comes from") {
  const Scratch scratch;
  for (const std::string& deep : {brackets("[", "]"), brackets("{\"a\":", "}")}) {
    scratch.write("deep.json", deep);
    scratch.write("deep.jsonl", "{\"type\":\"export\"}\n{\"type\":\"campaign\",\"a\":" + deep + "}\n");
    for (const std::string& file : {scratch.path("deep.json"), scratch.path("deep.jsonl")}) {
      check_refused(run_harness({"import", file, "--db", scratch.db()}));
      check_refused(run_harness({"import", "--outside", file, "--db", scratch.db()}));
      check_refused(run_harness({"simulate", file, "--repeats", "1"}));
    }
    std::filesystem::create_directories(scratch.path("package"));
    scratch.write("package/kernel.json", deep);
    check_refused(run_harness({"verify", scratch.path("package"), "--device", "cpu"}));
    check_refused(run_harness({"guard", scratch.path("package"), "--device", "cpu"}));
    scratch.write("reply.sh", "cat > /dev/null; cat " + scratch.path("deep.json"));
    check_refused(run_harness({"proposer", "--check", "command:sh " + scratch.path("reply.sh")}));
    const Finished served =
        run_program({"/bin/sh", "-c",
                     std::string(HARNESS_BINARY) + " mcp --db " + scratch.db() + " < " + scratch.path("deep.json")},
                    HARNESS_SOURCE_DIR);
    INFO(served.err);
    CHECK(served.status < 128);
  }
}
