#include "harness/script/catalog/catalog.h"
#include "tests/script/catalog_folder.h"

using namespace harness;
using namespace harness::script;

namespace {

const AdmissionParts kParts{{"form nominal of dtype=f32", {{"ranges", json::object()}, {"skipped", ""}}}};

}  // namespace

TEST_CASE("what a trial found is kept beside the kernel, by the kind of device") {
  PluginFolder folder;
  CHECK(folder.catalog().plugin("scale").admitted("cpu emulation 1").empty());
  folder.catalog().plugin("scale").keep_admitted("cpu emulation 1", kParts);
  folder.catalog().plugin("scale").keep_admitted("sm_90a, CUDA 13.0", {});
  CHECK(folder.catalog().plugin("scale").admitted("cpu emulation 1") == kParts);
  CHECK(folder.catalog().plugin("scale").admitted("sm_90a, CUDA 13.0").empty());
  CHECK(folder.catalog().plugin("scale").admitted("cpu emulation 2").empty());
}

TEST_CASE("another contract makes it void, and a damaged file is no file") {
  PluginFolder folder;
  folder.catalog().plugin("scale").keep_admitted("cpu", kParts);
  SECTION("another contract") {
    folder.write("scale/kernel.lua", edited(kGoodKernel, "exps = 0", "exps = 1"));
  }
  SECTION("another baseline") {
    folder.write("scale/variants/00_naive.cu", "__global__ void scale() { /* edited */ }\n");
  }
  SECTION("damaged") {
    const std::string text = GENERATE(as<std::string>{}, "", "[]", "{", R"({"hash": 1, "devices": []})", "null");
    folder.write("scale/admitted.json", text);
  }
  CHECK(folder.catalog().plugin("scale").admitted("cpu").empty());
  folder.catalog().plugin("scale").keep_admitted("cpu", kParts);
  CHECK(folder.catalog().plugin("scale").admitted("cpu") == kParts);
}

TEST_CASE("a mutant that is not installed does not make it void") {
  PluginFolder folder;
  folder.write("scale/mutants/01_wrong.lua", kGoodVariant);
  folder.write("scale/mutants/01_wrong.cu", "__global__ void scale() {}\n");
  folder.catalog().plugin("scale").keep_admitted("cpu", kParts);
  std::filesystem::remove_all(folder.path() / "scale/mutants");
  CHECK(folder.catalog().plugin("scale").admitted("cpu") == kParts);
}
