#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/program.h"

// A kernel leaves and comes back: eval --source and --label, show --resolved and --standalone, on the cpu device.
using namespace harness;
using namespace harness::tests;

namespace {

const std::string kKernels = std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/faulty";

struct EditedStore {
  Scratch scratch;  // one store for all, so that the kernel's gates are tried once
  std::vector<std::string> words(std::vector<std::string> first, const std::vector<std::string>& more) const {
    first.insert(first.end(), more.begin(), more.end());
    first.insert(first.end(), {"--db", scratch.db(), "--kernels", kKernels});
    return first;
  }
  Finished eval(const std::vector<std::string>& more) const {
    return run_harness(words({"eval", "faulty", "00_good", "--device", "cpu", "--emulated"}, more));
  }
  Finished show(const std::vector<std::string>& more) const { return run_harness(words({"show"}, more)); }
};

constexpr const char* kEdited = R"(#define TWICE(a) ((a) + (a))
template <typename T>
__global__ void f(const T* x, T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = TWICE(x[i]);
}
)";

}  // namespace

TEST_CASE("an edited source goes through all gates, is recorded, and comes out as files that stand alone") {
  const EditedStore store;
  store.scratch.write("edited.cu", kEdited);
  const std::string source = store.scratch.path("edited.cu"), label = "a macro \x1b[31m\n// x";
  const Finished evaluated = store.eval({"--source", source, "--label", label, "-p", "BLOCK=128", "--json"});
  INFO(evaluated.err << evaluated.out);
  REQUIRE(evaluated.status == 0);
  const json iteration = evaluated.lines()[0];
  CHECK(iteration["label"] == label);
  CHECK(iteration["parent"].get<std::string>().size() == 64);
  CHECK(iteration["parent"] != iteration["hashes"]["source"]);

  const Finished history = run_harness({"history", "--db", store.scratch.db()});
  CHECK_THAT(history.out, Catch::Contains("00_good (edited)") && Catch::Contains("a macro \\x1b[31m // x"));
  CHECK(history.out.find('\x1b') == std::string::npos);
  CHECK_THAT(store.show({"1", "--source"}).out,
             Catch::Contains("#define TWICE(a)") && Catch::Contains("label a macro"));

  const Finished resolved = store.show({"1", "--source", "--resolved"});
  INFO(resolved.err);
  REQUIRE(resolved.status == 0);
  CHECK_THAT(resolved.out, Catch::Contains("grid 8 x 1 x 1, block 128 x 1 x 1") && Catch::Contains("#define TWICE(a)"));
  const json launches = parse_json(store.show({"1", "--resolved", "--json"}).out)["launches"];
  CHECK(launches[0]["grid"] == json({8, 1, 1}));
  CHECK(launches[0]["entry"] == "f<float>");
  store.scratch.write("resolved.cu", resolved.out);
  CHECK(store.eval({"--source", store.scratch.path("resolved.cu"), "-p", "BLOCK=128"}).status == 0);

  const Finished alone = store.show({"1", "--standalone"});
  INFO(alone.err);
  REQUIRE(alone.status == 0);
  CHECK_THAT(alone.out,
             Catch::Contains("int main() {") && Catch::Contains("// original: 00_good BLOCK=64\n") &&
                 Catch::Contains("// winner:   00_good BLOCK=128, iteration 1 of campaign 1: passed (a macro"));
  const std::size_t winner = alone.out.find("namespace winner");
  REQUIRE(winner != std::string::npos);
  CHECK(alone.out.find("TWICE") > winner);  // the original is the plugin's own
  store.scratch.write("alone.cu", alone.out);
  const Finished compiled =
      run_program({"g++", "-std=c++17", "-O0", "-fsyntax-only", "-x", "c++", "-I",
                   std::string(HARNESS_SOURCE_DIR) + "/tests/fakes/cuda", store.scratch.path("alone.cu")},
                  HARNESS_SOURCE_DIR);
  INFO(compiled.err);
  CHECK(compiled.status == 0);

  // What was evaluated is evaluated again, and a diff has both names.
  const Finished again =
      run_harness(store.words({"eval", "--from", "1", "--json", "--device", "cpu", "--emulated"}, {}));
  INFO(again.err);
  REQUIRE(again.status == 0);
  CHECK(again.lines()[0]["hashes"]["source"] == iteration["hashes"]["source"]);
  CHECK_THAT(run_harness({"diff", "1", "2", "--db", store.scratch.db()}).out,
             Catch::Contains("00_good (edited)") && Catch::Contains("(a macro \\x1b[31m // x)"));
}

TEST_CASE("a source that cannot be one is refused in a sentence, before anything is built") {
  const EditedStore store;
  const Scratch& scratch = store.scratch;
  scratch.write("other.cu", "__global__ void ff(float* y) {}\n");
  scratch.write("binary.cu", "f \xff");
  scratch.write("zero.cu", std::string("f\0f", 3));
  std::ofstream(scratch.path("huge.cu")).close();
  std::filesystem::resize_file(scratch.path("huge.cu"), 5 << 20);
  REQUIRE(mkfifo(scratch.path("pipe.cu").c_str(), 0600) == 0);
  const auto [file, sentence] = GENERATE(table<std::string, std::string>({
      {"absent.cu", "there is no file"},
      {"pipe.cu", "is no plain file"},
      {"", "is no plain file"},
      {"huge.cu", "is larger than 4 MiB"},
      {"binary.cu", "is no UTF-8 text"},
      {"zero.cu", "is no UTF-8 text"},
      {"other.cu", "has no kernel 'f', which variant '00_good' launches"},
  }));
  const Finished refused = store.eval({"--source", scratch.path(file)});
  INFO(refused.err);
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Catch::Contains(sentence));
  CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
  CHECK_FALSE(std::filesystem::exists(scratch.db()));
}

TEST_CASE("a label is a line of text") {
  const EditedStore store;
  for (const auto& [label, sentence] : std::vector<std::pair<std::string, std::string>>{
           {"", "is empty"}, {std::string(201, 'x'), "has 201 bytes"}, {"\xff", "no UTF-8"}}) {
    const Finished refused = store.eval({"--label", label});
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, Catch::Contains(sentence));
  }
}

TEST_CASE("what the record cannot put together is refused in a sentence") {
  const Scratch scratch;
  const std::string text = std::string(HARNESS_SOURCE_DIR) + "/bench/seeds/campaign.jsonl";
  REQUIRE(run_harness({"import", text, "--db", scratch.db()}).status == 0);
  for (const char* form : {"--resolved", "--standalone"}) {
    const Finished refused = run_harness({"show", "1", form, "--db", scratch.db()});
    INFO(refused.err);
    CHECK(refused.status == 2);
    CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
    CHECK(refused.out.empty());
  }
  CHECK(run_harness({"show", "--decision", "1", "--resolved", "--db", scratch.db()}).status == 2);
  CHECK(run_harness({"show", "1", "--resolved", "--standalone", "--db", scratch.db()}).status == 2);
}
