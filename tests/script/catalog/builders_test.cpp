#include <algorithm>

#include "harness/core/torch_call.h"
#include "tests/script/catalog_folder.h"

using namespace harness;
using namespace harness::script;

namespace {

const std::string kTriton = R"(return variant {
  technique = "triton", build = "triton",
  params = { BLOCK = { values = { 256, 512 }, bind = "template" } },
  steps = function(p, w, device)
    return { launch { entry = "scale<BLOCK=$BLOCK>", grid = { cdiv(w.N, p.BLOCK) }, args = { "x", "y", "a", i32(w.N) } } }
  end,
}
)";

void add_triton(const PluginFolder& folder) {
  folder.kernel(edited(kGoodKernel, R"(input  { "x",)", R"(input  { "x", align = 4,)"));
  folder.write("scale/variants/10_triton.lua", kTriton);
  folder.write("scale/variants/10_triton.py", "import triton\n");
}

Realized triton_on(LuaCatalog& catalog, const std::string& workload) {
  const Config config = catalog.plugin("scale").default_config("10_triton", workload, cuda_device(), {});
  return catalog.plugin("scale").realize({"scale", "10_triton", "", config}, workload, cuda_device());
}

}  // namespace

TEST_CASE("a variant of a builder has a source of its language, and launches whose blocks the builder says") {
  PluginFolder folder;
  add_triton(folder);
  LuaCatalog catalog = folder.catalog();
  const Realized realized = triton_on(catalog, "small");
  CHECK(realized.build.builder == "triton");
  CHECK(realized.build.source_name == "kernels/scale/variants/10_triton.py");
  CHECK(realized.build.source == "import triton\n");
  CHECK(realized.sources.size() == 1);
  CHECK(std::get<Launch>(realized.plan.steps.at(0)).block.x == 0);
  REQUIRE(realized.build.uses.size() == 1);
  const std::vector<ArgumentUse> expected{
      {"pointer", "f32", 4, {}}, {"pointer", "f32", 16, {}}, {"scalar", "f32", 1, {}}, {"scalar", "s32", 4, {}}};
  CHECK(json_text(realized.build.uses.front().arguments) == json_text(expected));  // N is 100
  CHECK_THAT(catalog.plugin("scale").unsupported_reason("10_triton", cpu_device()), Catch::Contains("GPUs alone"));
  CHECK(catalog.plugin("scale").unsupported_reason("10_triton", cuda_device()).empty());
}

TEST_CASE("PyTorch is a variant that calls a program of the kernel's folder") {
  PluginFolder folder;
  folder.write("scale/ref.py", "def run(x, a): return a * x\n");
  folder.write("scale/variants/00_eager.lua", "return baseline { \"torch\", call = \"ref.py\" }\n");
  folder.write("scale/variants/90_compiled.lua", "return rival { \"torch\", call = \"ref.py\", compile = true }\n");
  LuaCatalog catalog = folder.catalog();
  const KernelInfo& kernel = catalog.kernel("scale");
  CHECK(baseline_of(kernel, cuda_device()).name == "00_eager");
  CHECK(baseline_of(kernel, cpu_device()).name == "00_naive");  // where PyTorch is not timed
  CHECK(first_kernel_of(kernel).name == "00_naive");
  const Realized realized = catalog.plugin("scale").realize({"scale", "90_compiled", "", {}}, "small", cuda_device());
  CHECK(calls_torch(realized.plan));
  const LibraryCall call = std::get<LibraryCall>(realized.plan.steps.at(0));
  CHECK(call.options.at("compile") == true);
  CHECK(call.options.at("text") == "def run(x, a): return a * x\n");
  CHECK(catalog.plugin("scale").unsupported_reason("90_compiled", cpu_device()).empty());
  const std::string before = catalog.plugin("scale").admission_hash();
  folder.write("scale/variants/95_other.lua", "return rival { \"torch\", call = \"../other.py\" }\n");
  CHECK_THROWS_WITH(folder.catalog().kernel("scale"), Catch::Contains("no file of the kernel's folder"));
  folder.write("scale/variants/95_other.lua", "return rival { \"torch\", calls = \"ref.py\" }\n");
  CHECK_THROWS_WITH(folder.catalog().kernel("scale"), Catch::Contains("rival takes one table"));
}

TEST_CASE("other sizes of a builder's variant may be other modules of the same text") {
  PluginFolder folder;
  add_triton(folder);
  LuaCatalog catalog = folder.catalog();
  const Realized large = triton_on(catalog, "large");
  const auto others = catalog.plugin("scale").neighbours(large.candidate, "large", cuda_device(), 12, 7);
  REQUIRE_FALSE(others.empty());
  CHECK(std::ranges::all_of(others, [&](const Realized& each) { return of_one_text(each.build, large.build); }));
  CHECK(std::ranges::any_of(others, [&](const Realized& each) { return each.build.uses != large.build.uses; }));
}

TEST_CASE("no proposal chooses its builder") {
  PluginFolder folder;
  add_triton(folder);
  LuaCatalog catalog = folder.catalog();
  const auto add = [&](const std::string& parent, const std::string& manifest) {
    return complaint([&] { catalog.plugin("scale").add_variant({"scale", "91_new", parent, "x", manifest, 1}); });
  };
  CHECK_THAT(add("00_naive", kTriton), Catch::Contains("a proposed variant is built as its parent is: 'nvrtc'"));
  CHECK_THAT(add("10_triton", edited(kTriton, "\"triton\",\n", "\"command:/bin/sh\",\n")),
             Catch::Contains("a proposed variant is built as its parent is: 'triton'"));
  catalog.plugin("scale").add_variant({"scale", "91_new", "10_triton", "import triton  # faster\n", kTriton, 1});
  CHECK(catalog.plugin("scale").variant_texts("91_new").source == "import triton  # faster\n");
}

TEST_CASE("an unknown builder is refused with the nearest, and a program is found from the manifest's folder") {
  PluginFolder folder;
  add_triton(folder);
  folder.write("scale/variants/10_triton.lua", edited(kTriton, "build = \"triton\"", "build = \"trition\""));
  CHECK_THAT(complaint([&] { folder.catalog().kernel("scale"); }), Catch::Contains("did you mean 'triton'?"));
  folder.write("scale/variants/10_triton.lua",
               edited(kTriton, "build = \"triton\"", "build = \"command:../build.sh\""));
  LuaCatalog catalog = folder.catalog();
  CHECK_THAT(triton_on(catalog, "small").build.builder,
             Catch::StartsWith("command:/") && Catch::EndsWith("kernels/scale/build.sh"));
}
