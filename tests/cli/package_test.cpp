#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "harness/package/folder/seal.h"
#include "harness/system/files.h"
#include "tests/support/program.h"
#include "tests/support/skip.h"
#include "tests/support/turns.h"

// From a store to a package, and what verify and guard say of it: on the cpu device, from a campaign recorded there.
using namespace harness;
using namespace harness::tests;

namespace {

namespace fs = std::filesystem;

/// A store with one recorded campaign of emulation.
void make_store(const Scratch& scratch) {
  const Finished imported =
      run_harness({"import", std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/packaged/paged_gather.jsonl", "--db",
                   scratch.db()});
  INFO(imported.err);
  REQUIRE(imported.status == 0);
}

bool has_nvrtc() {
  const json devices = run_harness({"devices", "--json"}).lines().at(0);
  bool found = false;
  for (const json& device : devices) {
    if (device.value("compiler", "").starts_with("NVRTC")) found = true;
    for (const json& sentence : device.value("missing", json::array()))
      if (sentence.get<std::string>().find("was found: compiling") != std::string::npos) found = true;
  }
  return found;
}

/// A project with the kernel, one line of the variant's source changed.
std::string edited_project(const Scratch& scratch, const std::string& from, const std::string& to) {
  const std::string project = scratch.path("project");
  fs::create_directories(project + "/kernels");
  scratch.write("project/.harness-project", "");
  fs::copy(std::string(HARNESS_SOURCE_DIR) + "/kernels/paged_gather", project + "/kernels/paged_gather",
           fs::copy_options::recursive);
  const std::string path = project + "/kernels/paged_gather/variants/10_vector.cu";
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  std::ofstream(path) << text.replace(at, from.size(), to);
  return project;
}

}  // namespace

TEST_CASE("what is emulated is packaged only where that is allowed; nothing is left of a refusal") {
  const Scratch scratch;
  make_store(scratch);
  const std::string folder = scratch.path("package");
  const Finished refused = run_harness({"package", "paged_gather", "-o", folder, "--db", scratch.db()});
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Catch::Contains("is emulation, and says nothing about a GPU; --allow emulated packages it"));
  CHECK_FALSE(fs::exists(folder));
  const Finished word =
      run_harness({"package", "paged_gather", "-o", folder, "--allow", "anything", "--db", scratch.db()});
  CHECK(word.status == 2);
  CHECK_THAT(word.err, Catch::Contains("there is unconfirmed, emulated and self-referenced"));
  const Finished workload =
      run_harness({"package", "paged_gather", "-o", folder, "--workload", "b8l512n128_f61", "--db", scratch.db()});
  CHECK(workload.status == 2);
  CHECK_THAT(workload.err, Catch::Contains("did you mean 'b8l512n128_f16'?"));
  CHECK(run_harness({"package", "softmax", "-o", folder, "--db", scratch.db()}).status == 2);
  CHECK(run_harness({"package", "paged_gather", "-o", scratch.path(""), "--db", scratch.db()}).status == 2);
}

TEST_CASE("a package of emulated times is verified and guarded on the cpu device") {
  if (is_nightly()) return;
  if (!has_nvrtc()) return skip("NVRTC is not here, and a package holds machine code");
  const Scratch scratch;
  make_store(scratch);
  const std::string folder = scratch.path("package");
  // The record's sources may be older than the plugin's.
  const Finished made = run_harness({"package", "paged_gather", "-o", folder, "--allow", "emulated", "--allow",
                                     "unconfirmed", "--db", scratch.db(), "--json"});
  INFO(made.err);
  REQUIRE(made.status == 0);
  const json told = made.lines().at(0);
  CHECK(told["kernel"] == "paged_gather");
  CHECK(told["stamps"][0] == "emulated");
  REQUIRE(told["variants"].size() == 2);
  CHECK(told["variants"][1]["variant"] == "10_vector");
  CHECK(told["dispatch"][0]["config"] == json({{"BLOCK", 64}, {"VEC", 8}}));
  CHECK(told["ptx"].empty());

  const std::string later = scratch.path("later");
  const Finished with_ptx = run_harness({"package", "paged_gather", "-o", later, "--ptx", "--allow",
                                         "emulated,unconfirmed", "--db", scratch.db(), "--json"});
  INFO(with_ptx.err);
  REQUIRE(with_ptx.status == 0);
  CHECK(with_ptx.lines().at(0)["ptx"] == json({"compute_90"}));
  CHECK(with_ptx.lines().at(0)["left_out"] == told["left_out"]);  // every module has PTX
  std::ifstream code(later + "/src/paged_gather_code.cpp");
  const std::string text{std::istreambuf_iterator<char>(code), std::istreambuf_iterator<char>()};
  CHECK_THAT(text, Catch::Contains("paged_gather_ptx_0_0[] =  // compute_90"));
  const Finished both = run_harness({"verify", later, "--device", "cpu", "--json"});
  INFO(both.err);
  CHECK(both.lines().at(0)["code"]["same"] == 4);  // machine code and PTX of the winner and of the original
  CHECK(both.lines().at(0)["code"]["launcher"] == "same");
  CHECK(both.lines().at(0)["code"]["not_compared"] == "");

  const Finished verified =
      run_harness({"verify", folder, "--device", "cpu", "--digest", told["digest"].get<std::string>(), "--json"});
  INFO(verified.err);
  REQUIRE(verified.lines().size() == 1);
  const json verdict = verified.lines()[0];
  CHECK(verified.status == (verdict["passed"] == true ? 0 : 1));
  CHECK(verdict["passed"] == true);
  CHECK(verdict["gates"]["failed"] == 0);
  CHECK(verdict["code"]["same"] == 2);
  CHECK(verdict["workloads"][0]["outcome"] == "passed");

  const Finished same = run_harness({"guard", folder, "--device", "cpu", "--json"});
  CHECK(same.status == 0);
  CHECK(same.lines().at(0)["workloads"][0]["verdict"] == "same code");
  CHECK(run_harness({"guard", folder, "--code-only"}).status == 0);
  const Finished absent = run_harness({"guard", folder, "--device", "cuda:63"});
  CHECK(absent.status == 3);

  const std::string project = edited_project(scratch, "i < rows * columns;", "i < rows * columns - VEC;");
  const std::string junit = scratch.path("junit.xml");
  const Finished wrong =
      run_program({HARNESS_BINARY, "guard", folder, "--device", "cpu", "--junit", junit, "--json"}, project);
  INFO(wrong.err);
  CHECK(wrong.status == 1);
  CHECK(wrong.lines().at(0)["workloads"][0]["verdict"] == "wrong");
  std::ifstream report(junit);
  const std::string written{std::istreambuf_iterator<char>(report), std::istreambuf_iterator<char>()};
  CHECK_THAT(written, Catch::Contains("<failure message=\"wrong\">") && Catch::Contains("never written"));

  std::ofstream(folder + "/src/paged_gather.cpp", std::ios::app) << "// changed\n";
  const Finished tampered = run_harness({"verify", folder, "--device", "cpu"});
  CHECK(tampered.status == 2);
  CHECK_THAT(tampered.err, Catch::Contains("the file src/paged_gather.cpp has changed since it was packaged"));
}

TEST_CASE("machine code and a compiled launcher that are not what the sources make are found, whatever digests say") {
  if (is_nightly()) return;
  if (!has_nvrtc()) return skip("NVRTC is not here, and a package holds machine code");
  const Scratch scratch;
  make_store(scratch);
  const std::string folder = scratch.path("package");
  REQUIRE(
      run_harness({"package", "paged_gather", "-o", folder, "--allow", "emulated,unconfirmed", "--db", scratch.db()})
          .status == 0);
  const std::string library = folder + "/python/paged_gather/paged_gather.x86_64.so";
  std::string bytes = read_file(library);
  bytes[bytes.find("\x7f"
                   "ELF",
                   100) +
        300] ^= 1;
  write_file(library, bytes);
  json described = parse_json(read_file(folder + "/kernel.json"));
  package::PackageFiles files{{"kernel.json", ""}};
  for (const auto& [path, digest] : described["digests"].items()) files[path] = read_file(folder + "/" + path);
  files["kernel.json"] = described.dump();
  package::seal(files);
  write_file(folder + "/kernel.json", files["kernel.json"]);
  const Finished verified = run_harness({"verify", folder, "--device", "cpu", "--json"});
  CHECK(verified.status == 1);
  CHECK(verified.lines().at(0)["code"]["launcher"] == "different");
  CHECK_THAT(verified.lines().at(0)["code"]["different"].dump(), Catch::Contains("does not hold the image"));
}

TEST_CASE("a package of a kernel from any folder holds in verify, however --kernels spells the folder") {
  if (is_nightly()) return;
  if (!has_nvrtc()) return skip("NVRTC is not here, and a package holds machine code");
  const Scratch scratch;
  make_store(scratch);
  const std::string project = scratch.path("project"), mine = scratch.path("my own kernels");
  fs::create_directories(project + "/kernels");
  scratch.write("project/.harness-project", "");
  fs::create_directories(mine);
  fs::copy(std::string(HARNESS_SOURCE_DIR) + "/kernels/paged_gather", mine + "/paged_gather",
           fs::copy_options::recursive);
  fs::create_symlink(mine, scratch.path("link"));
  std::size_t number = 0;
  for (const std::string& spelled : {mine, mine + "/", scratch.path("link"), std::string("../my own kernels"),
                                     "." + std::string("/../my own kernels/.")}) {
    const std::string folder = scratch.path("package" + std::to_string(++number));
    INFO(spelled);
    const Finished made = run_program({HARNESS_BINARY, "package", "paged_gather", "-o", folder, "--allow",
                                       "emulated,unconfirmed", "--kernels", spelled, "--db", scratch.db(), "--json"},
                                      project);
    INFO(made.err);
    REQUIRE(made.status == 0);
    const Finished verified = run_harness({"verify", folder, "--device", "cpu", "--json"});
    INFO(verified.err << verified.out);
    CHECK(verified.lines().at(0)["code"]["different"].empty());
    CHECK(verified.lines().at(0)["code"]["same"] == 2);
  }
}
