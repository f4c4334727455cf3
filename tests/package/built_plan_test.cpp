#include "harness/package/built_plan.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/package/packages.h"
#include "tests/support/turns.h"

// Winners that a builder made: machine code, and a launcher that launches it as the builder said.
using namespace harness;
using namespace harness::package;
using namespace harness::package::test;

namespace {

FormulaPlan scale_plan() {
  FormulaPlan plan;
  FormulaLaunch launch;
  launch.entry = "scale";
  launch.grid[0] = {{"cdiv", {{{"size", "N"}}, 256}}};
  launch.block[0] = 0;
  launch.args = {FormulaPointer{"x"}, FormulaPointer{"y"}, FormulaScalar{Dtype::s32, {{"size", "N"}}},
                 FormulaScalar{Dtype::s32, {{"size", "M"}}}, FormulaPointer{"scratch"}};
  plan.steps = {launch};
  plan.build.builder = "triton";
  const ArgumentUse pointer{"pointer", "f32", 16, {}};
  plan.build.uses = {EntryUse{
      "scale", {pointer, pointer, ArgumentUse{"scalar", "s32", 16, {}}, ArgumentUse{"scalar", "s32", 1, 1}, pointer}}};
  return plan;
}

EntryResources scale_entry() {
  EntryResources entry;
  entry.entry = "scale";
  entry.threads = 128;
  entry.shared = 2048;
  entry.cluster = 2;
  entry.passes = {0, 1, 2, 4, kNullArgument};  // M, which is 1, is no parameter
  return entry;
}

/// softmax with the Triton variant as the winner of one workload. No Triton: the images are a few bytes.
struct TritonPackage {
  script::LuaCatalog catalog{{kernels_folder()}, {kernels_folder() + "/include"}, {"cpu", "cuda"}};
  PackageModel model;

  TritonPackage() {
    CodeMaker maker = no_compiler([](const std::string& entry) {
      return entry.find("num_warps") != std::string::npos ? "8,8,4,8" : softmax_parameters(entry);
    });
    maker.compile = [compile = maker.compile](const DeviceInfo& device, const BuildSpec& build) {
      CompiledCode code = compile(device, build);
      if (build.builder.empty()) return code;
      EntryResources entry;
      entry.entry = build.entries.front();
      entry.threads = 128;
      entry.shared = 512;
      entry.passes = {0, 1, 2, kNullArgument};
      code.artifact.entries = {entry};
      return code;
    };
    PackageRecord record;
    record.devices = {fake_h200()};
    const Config config{{"BLOCK", std::int64_t{1024}}, {"WARPS", std::int64_t{4}}};
    record.points = {point(catalog, "softmax", "m4096n1024_f32", "50_triton", config, 10e3, 300e3)};
    model = make_package(catalog, maker, "softmax", std::move(record), 0, "a test");
  }
};

}  // namespace

TEST_CASE("a builder's launch has its threads, its cluster and its parameters, and the sizes that it counted on") {
  const FormulaPlan plan = with_built(scale_plan(), {scale_entry()});
  const auto& launch = std::get<FormulaLaunch>(plan.steps.front());
  CHECK(launch.block[0] == Formula(128));
  CHECK(launch.shared == Formula(2048));
  CHECK(launch.cluster[0] == Formula(2));
  CHECK(launch.grid[0] == Formula{{"*", {{{"cdiv", {{{"size", "N"}}, 256}}}, 2}}});
  REQUIRE(launch.args.size() == 5);
  CHECK(std::get<FormulaPointer>(launch.args[3]).name == "scratch");
  CHECK(std::get<FormulaPointer>(launch.args[4]).name.empty());
  CHECK(json_text(plan.valid) == R"({"all_of":[true,{"divisible":[{"size":"N"},16]},{"eq":[{"size":"M"},1]}]})");
}

TEST_CASE("a module that counts on a number of the caller's is not packaged") {
  FormulaPlan plan = scale_plan();
  FormulaArgument number;
  number.name = "x";
  number.kind = ArgumentKind::scalar;
  number.dtype = Dtype::s32;
  plan.arguments = {number};
  CHECK_THROWS_AS(with_built(plan, {scale_entry()}), Error);
  CHECK_THROWS_AS(with_built(scale_plan(), {}), Error);
}

TEST_CASE("a package's launcher launches a winner that a builder made") {
  const TritonPackage package;
  const std::string source = launcher_files(package.model.launcher).source;
  CHECK(source.find("l.block((int64_t)128, (int64_t)1, (int64_t)1)") != std::string::npos);
  CHECK(source.find("l.shared((int64_t)512)") != std::string::npos);
  CHECK(source.find("l.value((void*)nullptr)") != std::string::npos);
  CHECK(source.find("50_triton") != std::string::npos);
}
