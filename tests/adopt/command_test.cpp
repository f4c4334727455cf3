#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/device/cuda/api/nvrtc_api.h"
#include "harness/system/files.h"
#include "tests/adopt/fixture.h"
#include "tests/support/turns.h"

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
  const std::string original = scratch.path("mine/turned/variants/00_original.cu");
  scratch.write("mine/turned/variants/00_original.cu", read_file(original) + "// edited in place\n");
  const Finished edited = run_program({HARNESS_BINARY, "eval", "turned", "00_original", "--device", "cpu", "--kernels",
                                       scratch.path("mine"), "--db", scratch.db()},
                                      scratch.path(""));
  CHECK(edited.status == 2);
  CHECK_THAT(edited.err, Catch::Contains("is no longer what was adopted from transpose.cu"));
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

TEST_CASE("a winner of a function with several launches leaves as a patch that git applies, and as a package") {
  if (tests::is_nightly()) return;
  const Scratch scratch;
  const adopt::Adopted found = [] {
    adopt::AdoptOptions options;
    options.file = ordinary("long_softmax.cu");
    options.entries = {"long_softmax"};
    options.tune = {"kPiece=256,512", "THREADS=128,64"};
    return adopted(options);
  }();
  // Scratch is as large as the configuration says, and in the reference as its first values say.
  CHECK_THAT(found.files.at(1).second, Catch::Contains("bytes = 4 * w.rows * cdiv(w.cols, p.kPiece)"));
  CHECK_THAT(found.files.at(0).second,
             Catch::Contains("bytes = function(w) return 8 * w.rows * cdiv(w.cols, 256) end"));
  fs::create_directories(scratch.path("mine/long_softmax/variants"));
  for (const auto& [name, text] : found.files) scratch.write("mine/long_softmax/" + name, text);
  fs::copy_file(ordinary("long_softmax.cu"), scratch.path("long_softmax.cu"));
  REQUIRE(run_program({"git", "init", "-q", "."}, scratch.path("")).status == 0);
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), HARNESS_BINARY);
    words.insert(words.end(), {"--kernels", scratch.path("mine"), "--db", scratch.db()});
    return run_program(words, scratch.path(""));
  };
  for (const char* config : {"kPiece=256,THREADS=128", "kPiece=512,THREADS=64"}) {
    const std::string text = config;
    const Finished evaluated = run({"eval", "long_softmax", "00_original", "-p", text.substr(0, text.find(',')), "-p",
                                    text.substr(text.find(',') + 1), "--workload", "rows64_cols64", "--device", "cpu"});
    INFO(evaluated.out << evaluated.err);
    REQUIRE(evaluated.status == 0);
  }
  const Finished resolved = run({"show", "2", "--resolved"});
  REQUIRE(resolved.status == 0);
  scratch.write("winner.cu", resolved.out);  // and back again
  const Finished again = run({"eval", "long_softmax", "00_original", "--source", "winner.cu", "-p", "kPiece=512", "-p",
                              "THREADS=64", "--workload", "rows64_cols64", "--device", "cpu"});
  INFO(again.out << again.err);
  CHECK(again.status == 0);
  CHECK(run({"show", "2", "--standalone"}).status == 0);
  CHECK_THAT(run({"show", "2", "--patch"}).err, Catch::Contains("cols=64, rows=64 only"));
  const Finished patch = run({"show", "2", "--patch", "--all-sizes"});
  INFO(patch.err);
  REQUIRE(patch.status == 0);
  scratch.write("winner.patch", patch.out);
  const Finished applied = run_program({"git", "apply", "winner.patch"}, scratch.path(""));
  INFO(applied.err);
  REQUIRE(applied.status == 0);
  const auto constants = adopt::read_cuda_source(scratch.path("long_softmax.cu"));
  CHECK_THAT(constants.main().text,
             Catch::Contains("constexpr int kPiece = 512;\n#define THREADS 64\n") && Catch::Contains("int main() {"));

  if (!cuda::nvrtc_library().api) return tests::skip("NVRTC is not here, and a package holds machine code");
  const Finished packaged =
      run({"package", "long_softmax", "-o", scratch.path("package"), "--allow", "unconfirmed,emulated"});
  INFO(packaged.err);
  REQUIRE(packaged.status == 0);
  CHECK_THAT(packaged.out, Catch::Contains("stamped: emulated"));
  CHECK(run_program({HARNESS_BINARY, "verify", scratch.path("package"), "--device", "cpu"}, scratch.path("")).status ==
        0);
}
