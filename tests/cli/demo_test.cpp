#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/program.h"
#include "tests/support/turns.h"

using namespace harness;
using namespace harness::tests;

TEST_CASE("demo names a slow line, searches, and shows what won") {
  if (is_nightly()) return;
  const Scratch scratch;
  const Finished finished = run_harness({"demo", "--device", "cpu", "--budget", "25s"}, {"TMPDIR=" + scratch.path("")});
  INFO(finished.out << finished.err);
  CHECK(finished.status == 0);
  CHECK(finished.out.find("line 18 of 00_naive.cu:  for (int j = 0; j < columns; ++j) out[j]") != std::string::npos);
  CHECK(finished.out.find("predicted gain: mending this line alone saves up to ") != std::string::npos);
  CHECK(finished.out.find("$ harness run softmax --workload m64n512_f32 --device cpu --budget 25s") !=
        std::string::npos);
  CHECK(finished.out.find("--- 00_naive\n+++ ") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(scratch.path("harness-demo")));
}

TEST_CASE("demo without a compiler says what brings one here") {
  const Finished finished = run_harness({"demo", "--device", "cpu"}, {"PATH=/nowhere"});
  INFO(finished.out << finished.err);
  CHECK(finished.status == 3);
  CHECK(finished.err.find("the cpu device needs g++ and there is none in PATH; what brings it here: ") !=
        std::string::npos);
}

TEST_CASE("where no device is, harness alone names what brings one, and advises nothing that needs one") {
  const Finished alone = run_harness({}, {"PATH=/nowhere"});
  const std::string said = alone.out + alone.err;
  INFO(said);
  CHECK(alone.status == 0);
  if (said.find("cuda:0") != std::string::npos) return;  // a GPU needs no g++
  CHECK(said.find("what brings it here: ") != std::string::npos);
  CHECK(alone.out.find("harness demo") == std::string::npos);
  CHECK(alone.out.find("harness doctor") != std::string::npos);
  const Finished demo = run_harness({"demo"}, {"PATH=/nowhere"});  // it shows a record, and says why
  const std::string shown = demo.out + demo.err;
  INFO(shown);
  CHECK(demo.status == 0);
  CHECK(shown.find("what brings it here: ") != std::string::npos);
  CHECK(demo.out.find("--- 00_original\n+++ proposed_3") != std::string::npos);
}
