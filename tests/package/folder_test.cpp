#include <filesystem>

#include "harness/package/folder/ci_report.h"
#include "harness/package/folder/reading.h"
#include "harness/system/files.h"
#include "tests/package/packages.h"

using namespace harness;
using namespace harness::package;
using namespace harness::package::test;
using harness::tests::Scratch;

namespace {

std::string why_not(const std::string& folder, const std::string& digest = "") {
  try {
    read_package(folder, digest);
  } catch (const Error& refusal) {
    CHECK(refusal.exit_status() == 2);
    return refusal.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a package is read back as it was written") {
  const Scratch scratch;
  const SoftmaxPackage made;
  const std::string folder = scratch.path("p");
  write_package(folder, made.files);
  const PackageFolder read = read_package(folder, made.digest);
  CHECK(read.kernel == "softmax");
  CHECK(read.files == made.files.size() - 1);
  CHECK(read.original.variant == "00_naive");
  REQUIRE(read.workloads.size() == 3);
  CHECK(read.workloads[0].winner->variant == "30_registers");
  CHECK_FALSE(read.workloads[2].winner);
  CHECK(read.device_names() == std::vector<std::string>{"NVIDIA H200"});
  CHECK_FALSE(read.emulated());
  // Without mutants, and without the variants that are not in it.
  CHECK(made.files.contains("plugin/kernels/softmax/variants/20_online.cu"));
  CHECK_FALSE(made.files.contains("plugin/kernels/softmax/variants/10_warp_row.cu"));
  for (const auto& [path, text] : made.files) CHECK(path.find("mutants") == std::string::npos);
  CHECK_THAT(made.files.at("src/kernels/1_30_registers.cu"), Catch::Contains("template __global__"));
}

TEST_CASE("whatever is changed in a package is found, and told in one sentence") {
  namespace fs = std::filesystem;
  const Scratch scratch;
  const SoftmaxPackage made;
  const std::string folder = scratch.path("p");
  write_package(folder, made.files);
  CHECK(why_not(folder).empty());
  CHECK_THAT(why_not(folder, "abcd"), Catch::Contains("has the digest"));
  CHECK_THAT(why_not(scratch.path("nothing")), Catch::Contains("is no package: it has no kernel.json"));
  SECTION("a byte of a source") {
    write_file(folder + "/src/softmax.cpp", made.files.at("src/softmax.cpp") + " ");
    CHECK_THAT(why_not(folder), Catch::Contains("the file src/softmax.cpp has changed since it was packaged"));
  }
  SECTION("a byte of any file, and the file as it was again") {
    for (const auto& [path, text] : made.files) {
      if (path == "kernel.json") continue;
      INFO(path);
      std::string changed = text;
      if (changed.empty()) changed = "x";
      else changed[changed.size() / 2] ^= 1;
      write_file(folder + "/" + path, changed);
      CHECK_THAT(why_not(folder), Catch::Contains("the file " + path + " has changed since it was packaged"));
      write_file(folder + "/" + path, text);
    }
    CHECK(why_not(folder).empty());
  }
  SECTION("a file that is gone") {
    fs::remove(folder + "/LICENSE");
    CHECK_THAT(why_not(folder), Catch::Contains("the file LICENSE is missing"));
  }
  SECTION("a file that was added") {
    write_file(folder + "/plugin/kernels/softmax/variants/00_naive.lua.bak", "");
    CHECK_THAT(why_not(folder), Catch::Contains("is not part of the package"));
  }
  SECTION("what people build in it is theirs") {
    fs::create_directories(folder + "/build");
    write_file(folder + "/build/softmax.o", "");
    CHECK(why_not(folder).empty());
  }
  SECTION("the dispatch in kernel.json") {
    std::string text = made.files.at("kernel.json");
    text.replace(text.find("\"from\": 1024"), 12, "\"from\": 1   ");
    write_file(folder + "/kernel.json", text);
    CHECK_THAT(why_not(folder), Catch::Contains("kernel.json has changed since it was packaged"));
  }
  SECTION("kernel.json that is none") {
    write_file(folder + "/kernel.json", "{}");
    CHECK_THAT(why_not(folder), Catch::Contains("is not what harness package writes"));
  }
  SECTION("kernel.json that was cut short") {
    write_file(folder + "/kernel.json", made.files.at("kernel.json").substr(0, 100));
    CHECK_THAT(why_not(folder), Catch::Contains("kernel.json is no JSON from byte 101 on"));
  }
  SECTION("a digest of a file outside") {
    PackageFiles files{{"kernel.json", R"({"schema":1,"kernel":"k","stamps":[]})"}, {"../outside", "x"}};
    seal(files);
    write_file(folder + "/kernel.json", files.at("kernel.json"));
    CHECK_THAT(why_not(folder), Catch::Contains("'../outside', which lies outside"));
  }
}

TEST_CASE("a package is written whole, or not at all, and over nothing") {
  namespace fs = std::filesystem;
  const Scratch scratch;
  scratch.write("file", "theirs");
  CHECK_THROWS_WITH(write_package(scratch.path("file"), {{"a", "b"}}), Catch::Contains("is not an empty folder"));
  fs::create_directories(scratch.path("empty"));
  write_package(scratch.path("empty/"), {{"a/b", "c"}});
  CHECK(read_file(scratch.path("empty/a/b")) == "c");
  CHECK_THROWS_WITH(write_package(scratch.path("empty"), {{"a", "b"}}), Catch::Contains("is there already"));
  CHECK_THROWS(write_package(scratch.path("bad"), {{"a", "b"}, {"a/b", "c"}}));  // a file and a folder of one name
  CHECK_FALSE(fs::exists(scratch.path("bad")));
  for (const auto& entry : fs::directory_iterator(scratch.path("")))
    CHECK(entry.path().filename().string().front() != '.');
}

TEST_CASE("--max-code leaves out what costs least, and says what that costs") {
  const SoftmaxPackage made(1);
  REQUIRE(made.model.dispatch.cuts.size() == 1);
  const DispatchCut& cut = made.model.dispatch.cuts[0];
  CHECK(cut.candidate.variant == "30_registers");  // 30x is lost; of the other 36x
  REQUIRE(cut.costs.size() == 1);
  CHECK(cut.costs[0].workload == "m4096n1024_f32");
  CHECK(cut.costs[0].instead == "the original");
  CHECK(cut.costs[0].to_ns == 300e3);
  CHECK(made.model.launcher.configurations.size() == 2);
}

TEST_CASE("what CI reads says which workload does not hold, and why") {
  const std::vector<GuardLine> lines{{"small", "10_fast A=1", "same", "1.00x", false},
                                     {"large", "10_fast <A>", "slower", "0.5x & \"again\" a|b", true}};
  const std::string junit = junit_text("k", lines);
  CHECK_THAT(junit, Catch::Contains("tests=\"2\" failures=\"1\"") && Catch::Contains("name=\"small\""));
  CHECK_THAT(junit, Catch::Contains("<failure message=\"slower\">0.5x &amp; &quot;again&quot; a|b</failure>"));
  CHECK_THAT(junit, Catch::Contains("k.10_fast &lt;A&gt;"));
  const std::string table = markdown_text("k", "NVIDIA H200", lines);
  CHECK_THAT(table, Catch::Contains("1 of 2 do not hold (NVIDIA H200)") && Catch::Contains("**slower**") &&
                        Catch::Contains("a\\|b"));
}
