#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/adopt/fixture.h"

// The command as a person types it: from the file to the first evaluation.
using namespace harness;
using namespace harness::tests;
namespace fs = std::filesystem;

namespace {

Finished adopt_in(const Scratch& scratch, std::vector<std::string> arguments) {
  fs::create_directories(scratch.path("mine"));
  arguments.insert(arguments.begin(), {HARNESS_BINARY, "adopt"});
  arguments.insert(arguments.end(), {"--kernels", scratch.path("mine"), "--db", scratch.db()});
  return run_program(arguments, scratch.path(""));
}

}  // namespace

TEST_CASE("a file becomes a plugin that passes its check and a first evaluation") {
  const Scratch scratch;
  const Finished done = adopt_in(scratch, {ordinary("transpose.cu"), "--name", "turned", "--json"});
  INFO(done.out << done.err);
  REQUIRE(done.status == 0);
  REQUIRE(done.lines().size() == 1);
  const json object = done.lines()[0];
  CHECK(object["kernel"] == "turned");
  CHECK(object["arguments"].size() == 4);
  CHECK(object["arguments"][0]["role"] == "output");
  CHECK(object["arguments"][0]["shape"] == "[width, height]");
  CHECK(object["check"]["passed"] == true);
  CHECK(object["reference"]["weak"].get<std::string>().find("shares its mistakes") != std::string::npos);
  for (const char* file : {"kernel.lua", "reference.cu", "variants/00_original.cu", "variants/00_original.lua"})
    CHECK(fs::is_regular_file(scratch.path("mine/turned/") + file));
  const Finished again = adopt_in(scratch, {ordinary("transpose.cu"), "--name", "turned"});
  CHECK(again.status == 2);
  CHECK_THAT(again.err, Catch::Contains("exists already"));
}

TEST_CASE("a refusal writes nothing") {
  const Scratch scratch;
  CHECK(adopt_in(scratch, {scratch.path("absent.cu")}).status == 2);
  const Finished bare = adopt_in(scratch, {ordinary("gemm.cu"), "--tune", "NOTHING=1,2"});
  CHECK(bare.status == 2);
  CHECK_THAT(bare.err, Catch::Contains("is no macro, constant or template argument"));
  CHECK_FALSE(fs::exists(scratch.path("mine/sgemm_shared_mem_block")));
  const Finished elsewhere = adopt_in(scratch, {ordinary("gemm.cu"), "--device", "cuda:63"});
  CHECK(elsewhere.status == 3);
  CHECK_FALSE(fs::exists(scratch.path("mine/sgemm_shared_mem_block")));
}
