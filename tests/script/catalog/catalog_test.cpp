#include "harness/script/catalog/catalog.h"

#include <algorithm>
#include <set>

#include "tests/script/catalog_folder.h"

using namespace harness;
using namespace harness::script;

namespace {

LuaCatalog fixtures() {
  return LuaCatalog({kSource / "tests/fixtures/kernels"}, {}, {"cpu", "cuda"});
}

Realized realized(const std::string& kernel, const std::string& variant, const std::string& workload,
                  const Config& given = {}) {
  LuaCatalog catalog = fixtures();
  const Config config = catalog.plugin(kernel).default_config(variant, workload, cuda_device(), given);
  return catalog.plugin(kernel).realize({kernel, variant, "", config}, workload, cuda_device());
}

std::string hash_of_problem(const PluginFolder& folder) {
  return folder.catalog().plugin("scale").problem("small").contract_hash;
}

std::string hash_of_source(const PluginFolder& folder) {
  return folder.catalog().kernel("scale").variants.at(0).source_hash;
}

}  // namespace

TEST_CASE("a catalog lists the folders that have a kernel, and a broken one stops no other") {
  PluginFolder folder;
  folder.write("broken/kernel.lua", "return kernel {");
  folder.write("include/harness/x.cuh", "");
  LuaCatalog catalog = folder.catalog();
  REQUIRE(catalog.kernel_names() == std::vector<std::string>{"broken", "scale"});
  REQUIRE(catalog.kernel("scale").summary == "y = a x");
  REQUIRE_THAT(complaint([&] { catalog.kernel("broken"); }), Catch::StartsWith("kernels/broken/kernel.lua:1: "));
}

TEST_CASE("unknown kernels, variants and workloads suggest the nearest") {
  PluginFolder folder;
  LuaCatalog catalog = folder.catalog();
  REQUIRE(complaint([&] { catalog.kernel("scael"); }) == "there is no kernel 'scael'; did you mean 'scale'?");
  REQUIRE(complaint([&] { catalog.plugin("scale").problem("smal"); }) ==
          "kernel 'scale' has no workload 'smal'; did you mean 'small'?");
  REQUIRE(complaint([&] { catalog.plugin("scale").space("00_naiv", "small", cpu_device()); }) ==
          "kernel 'scale' has no variant '00_naiv'; did you mean '00_naive'?");
  REQUIRE(complaint([&] { catalog.plugin("scale").problem("something else"); }) ==
          "kernel 'scale' has no workload 'something else'; it has: small, large");
}

TEST_CASE("folders add up, but not the same kernel twice") {
  PluginFolder one, two;
  two.write("other/kernel.lua", "");
  REQUIRE_THAT(complaint([&] {
                 LuaCatalog({one.path(), two.path()}, {});
               }),
               Catch::StartsWith("kernel 'scale' is in two places"));
  std::filesystem::remove_all(two.path() / "scale");
  REQUIRE(LuaCatalog({one.path(), two.path()}, {}).kernel_names() == std::vector<std::string>{"other", "scale"});
  REQUIRE_THAT(complaint([&] { LuaCatalog({one.path() / "nowhere"}, {}); }), Catch::Contains("cannot be read"));
}

TEST_CASE("variants come in order of their numbers with all that their manifests say") {
  LuaCatalog catalog = fixtures();
  const KernelInfo& kernel = catalog.kernel("segments");
  REQUIRE(kernel.workloads.at(0).sets == std::vector<std::string>{"default"});
  REQUIRE(kernel.workloads.at(0).devices == std::vector<std::string>{"cpu", "cuda"});
  REQUIRE(kernel.variants.size() == 2);
  const VariantInfo& gather = kernel.variants.at(1);
  REQUIRE(gather.name == "10_gather");
  REQUIRE(gather.technique == "atomics");
  REQUIRE(gather.risk == "high");
  REQUIRE(gather.multi_kernel);
  REQUIRE(gather.prior.speedup_lo == 1.5);
  REQUIRE(gather.prior.probability == 0.5);
  REQUIRE(gather.prior.evaluations == 12);
  REQUIRE(gather.requirements == json{{"arch", ">=70"}});
  std::string names;
  for (const Parameter& parameter : gather.parameters) names += parameter.name + ":" + parameter.bind + " ";
  REQUIRE(names == "ACC:define COPY:launch LANES:template PARTS:scalar UNROLL:define ");
  const Workload padded = catalog.kernel("packed_qkv").workloads.at(1);
  REQUIRE(padded.sets == std::vector<std::string>{"default", "odd"});
  REQUIRE(padded.devices == std::vector<std::string>{"cpu"});
}

TEST_CASE("a plan holds workspaces, memsets and launches with all numbers filled in") {
  const Plan plan =
      realized("segments", "10_gather", "few", {{"LANES", std::int64_t{64}}, {"PARTS", std::int64_t{2}}}).plan;
  REQUIRE(json(plan.workspaces[0]) == json{{"name", "sums"}, {"bytes", 56}, {"align", 256}, {"zeroed", true}});
  REQUIRE(json(plan.workspaces[1]) == json{{"name", "scratch"}, {"bytes", 128}, {"align", 64}, {"zeroed", false}});
  REQUIRE(plan.steps.size() == 4);
  REQUIRE(json(std::get<Memset>(plan.steps[0])) ==
          json{{"target", "scratch"}, {"offset", 0}, {"bytes", 128}, {"value", 255}});
  REQUIRE(std::get<Memset>(plan.steps[1]).bytes == 4);
  const Launch& add = std::get<Launch>(plan.steps[2]);
  REQUIRE(add.entry == "add<64>");
  REQUIRE(add.grid == Dim3{7, 2, 1});
  REQUIRE(add.block == Dim3{64, 1, 1});
  REQUIRE(add.shared == 512);
  REQUIRE(std::get<NamedArgument>(add.args[3]).name == "sums");
  REQUIRE(std::get<ScalarArgument>(add.args[4]).value == Value(std::int64_t{2}));
  REQUIRE(std::get<ScalarArgument>(add.args[5]).dtype == Dtype::f32);
  const Launch& copy = std::get<Launch>(plan.steps[3]);
  REQUIRE(std::get<ScalarArgument>(copy.args[2]).dtype == Dtype::u32);
  REQUIRE(std::get<ScalarArgument>(copy.args[3]).dtype == Dtype::s64);
}

TEST_CASE("clusters, cooperative launches and library calls are in the plan") {
  const Launch launch = std::get<Launch>(realized("escapes", "20_cluster", "only").plan.steps.at(0));
  REQUIRE(launch.cluster == Dim3{2, 1, 1});
  REQUIRE(launch.cooperative);
  REQUIRE_FALSE(launch.pdl);
  const Launch next = std::get<Launch>(realized("escapes", "20_cluster", "only").plan.steps.at(1));
  REQUIRE(next.pdl);
  REQUIRE(next.resident == 2);
  const LibraryCall call = std::get<LibraryCall>(realized("escapes", "90_library", "only").plan.steps.at(0));
  REQUIRE(call.library == "cublas");
  REQUIRE(call.operation == "gemm");
  REQUIRE(
      call.options ==
      json{
          {"a", "x"}, {"b", "x"}, {"c", "y"}, {"m", 10}, {"n", 10}, {"k", 10}, {"alpha", 12.5}, {"transpose_b", true}});
  REQUIRE(realized("escapes", "90_library", "only").build.entries.empty());
}

TEST_CASE("parameters bind as defines, templates, launch quantities and scalars") {
  const Realized candidate = realized("segments", "10_gather", "few");
  const BuildSpec& build = candidate.build;
  REQUIRE(build.defines == std::vector<std::pair<std::string, std::string>>{{"ACC", "float"}, {"UNROLL", "1"}});
  REQUIRE(build.entries == std::vector<std::string>{"add<32>", "copy"});
  REQUIRE(build.options == std::vector<std::string>{"--use_fast_math", "--maxrregcount=32", "--std=c++17"});
  REQUIRE(build.source_name == "kernels/segments/variants/10_gather.cu");
  REQUIRE_THAT(build.source, Catch::Contains("#include \"detail/sum.cuh\""));
  REQUIRE(std::filesystem::equivalent(build.include_dirs.at(0), kSource / "tests/fixtures/kernels/segments/variants"));
  REQUIRE(candidate.candidate.technique == "atomics");
}

TEST_CASE("a source hash covers what the source includes and nothing else") {
  PluginFolder folder;
  folder.write("scale/variants/detail.cuh", "#include <harness/deep.cuh>\n");
  folder.write("include/harness/deep.cuh", "int one;\n");
  folder.write("include/harness/other.cuh", "int other;\n");
  const std::string first = hash_of_source(folder);
  folder.write("include/harness/other.cuh", "changed\n");
  REQUIRE(hash_of_source(folder) == first);
  folder.write("include/harness/deep.cuh", "int two;\n");
  const std::string second = hash_of_source(folder);
  REQUIRE(second != first);
  folder.write("scale/variants/00_naive.cu", "#include \"detail.cuh\"\n\n");
  REQUIRE(hash_of_source(folder) != second);
}

TEST_CASE("a source hash covers what is included in any spelling, and tells what it cannot cover") {
  PluginFolder folder;
  for (const char* spelling :
       {"/**/#include \"x.cuh\"\n", "%:include <x.cuh>\n", "#inc\\\nlude \"x.cuh\"\n", "#inc\\ \nlude <x.cuh>\n",
        "#define X <x.cuh>\n#include X\n", "#include_next <x.cuh>\n", "#if 0\n#include/**/<x.cuh>\n#endif"}) {
    INFO(spelling);
    folder.write("scale/variants/00_naive.cu", spelling);
    folder.write("scale/variants/x.cuh", "int one;\n");
    const std::string first = hash_of_source(folder);
    folder.write("scale/variants/x.cuh", "int two;\n");
    CHECK(hash_of_source(folder) != first);
    CHECK(folder.catalog().plugin("scale").variant_texts("00_naive").headers.size() == 1);
  }
  folder.write("scale/variants/00_naive.cu", "\n#include ANY\n");
  CHECK_THROWS_WITH(folder.catalog().kernel("scale"), Catch::Contains("00_naive.cu:2: an #include must name its file"));
}

TEST_CASE("a contract hash is the same wherever the kernel lies and however its workload is weighed") {
  const PluginFolder one, two;
  REQUIRE(hash_of_problem(one) == hash_of_problem(two));
  two.kernel(edited(kGoodKernel, "N = 100,", "N = 100, weight = 5, sets = { \"odd\" }, "));
  REQUIRE(hash_of_problem(one) == hash_of_problem(two));
}

TEST_CASE("a contract hash changes with all that decides what a result means") {
  const std::string before = hash_of_problem(PluginFolder());
  const auto after = [](const std::string& from, const std::string& to) {
    PluginFolder folder;
    folder.kernel(edited(kGoodKernel, from, to));
    return hash_of_problem(folder);
  };
  REQUIRE(after("relative {}", "relative { tolerance = 0.5 }") != before);
  REQUIRE(after("normal {}", "normal { std = 2 }") != before);
  REQUIRE(after("2 * w.N", "3 * w.N") != before);
  REQUIRE(after("value = 2", "value = 3") != before);
  REQUIRE(after("N = 100", "N = 101") != before);
  REQUIRE(after("return kernel {", "return kernel { deterministic = false,") != before);
  PluginFolder folder;
  folder.write("scale/reference.cu", "// another reference\n");
  REQUIRE(hash_of_problem(folder) != before);
}

TEST_CASE("a variant says why a device cannot run it") {
  LuaCatalog catalog = fixtures();
  REQUIRE(catalog.plugin("grouped").unsupported_reason("30_tensor_map", cuda_device()).empty());
  REQUIRE(catalog.plugin("grouped").unsupported_reason("30_tensor_map", cpu_device()) ==
          "variant '30_tensor_map' requires a cuda device and this is 'cpu'");
  DeviceInfo newer = cuda_device();
  newer.compute_capability = 100;
  newer.architecture = "sm_100a";
  REQUIRE_THAT(catalog.plugin("grouped").unsupported_reason("30_tensor_map", newer),
               Catch::Contains("requires architecture >=90a"));
  REQUIRE(catalog.plugin("escapes").unsupported_reason("20_cluster", newer).empty());
  REQUIRE(catalog.plugin("segments").unsupported_reason("10_gather", cpu_device()).empty());
}

TEST_CASE("steps that name nothing known are refused with the nearest") {
  REQUIRE(variant_complaint("\"x\", \"y\"", "\"x\", \"yy\"") ==
          "kernels/scale/variants/00_naive.lua:8: launch 'scale<float,4>' names 'yy', which is no argument and no "
          "workspace; "
          "did you mean 'y'?");
  REQUIRE_THAT(variant_complaint("<$dtype,$VEC>", "<$dtype,$VEK>"),
               Catch::Contains(":8: launch has '$VEK'") && Catch::Contains("did you mean 'VEC'?"));
  REQUIRE_THAT(variant_complaint("i32(w.N)", "w.N"), Catch::Contains("has the argument 100; write a name"));
  REQUIRE_THAT(variant_complaint("i32(w.N)", "i32(1 / 2)"), Catch::Contains("whole number that fits its type"));
  REQUIRE_THAT(variant_complaint("i32(w.N)", "u32(-1)"), Catch::Contains("whole number that fits its type"));
}

TEST_CASE("steps with impossible numbers are refused at their line") {
  REQUIRE_THAT(variant_complaint("block = { p.BLOCK }", "block = { 0 }"),
               Catch::Contains(":8: launch has 0 in its block"));
  REQUIRE_THAT(variant_complaint("block = { p.BLOCK }", "block = { p.BLOCK / 3 }"),
               Catch::Contains("extents are whole numbers"));
  REQUIRE_THAT(variant_complaint("block = { p.BLOCK }", "block = { 1, 1, 1, 1 }"),
               Catch::Contains("a list of 1 to 3 numbers"));
  REQUIRE_THAT(variant_complaint("block = { p.BLOCK }", "block = { 1 }, shared = -1"), Catch::Contains("shared = -1"));
  REQUIRE_THAT(variant_complaint("return { launch", "return { memset { \"x\" }, launch"),
               Catch::Contains("only workspaces and outputs may be written"));
  REQUIRE_THAT(variant_complaint("return { launch", "return { memset { \"y\", bytes = 401 }, launch"),
               Catch::Contains("reaches past the end of 'y', which has 400 bytes"));
  REQUIRE_THAT(variant_complaint("return { launch", "return {} or { launch"),
               Catch::Contains("steps must return a list"));
}

TEST_CASE("a launch takes tensor maps of arguments and workspaces, and refuses what no hardware encodes") {
  const auto map_of = [](const std::string& map) {
    PluginFolder folder;
    folder.variant(edited(kGoodVariant, "\"x\", \"y\"", map + ", \"y\""));
    LuaCatalog catalog = folder.catalog();
    const Candidate candidate{"scale", "00_naive", "naive", {{"BLOCK", std::int64_t{64}}, {"VEC", std::int64_t{4}}}};
    return std::get<TensorMap>(
        std::get<Launch>(catalog.plugin(candidate.kernel).realize(candidate, "small", cuda_device()).plan.steps[0])
            .args[0]);
  };
  const TensorMap whole = map_of("tensor_map { \"x\", box = { 32 }, swizzle = \"128b\", promotion = \"256b\" }");
  REQUIRE(whole.of == "x");
  REQUIRE(whole.dtype == Dtype::f32);
  REQUIRE(whole.shape == std::vector<std::int64_t>{100});
  REQUIRE(whole.box == std::vector<std::int64_t>{32});
  REQUIRE(whole.swizzle == "128b");
  const TensorMap folded =
      map_of("tensor_map { \"x\", shape = { 10, w.N // 10 - 2 }, strides = { 8, 1 }, box = { 2, 4 } }");
  REQUIRE(folded.shape == std::vector<std::int64_t>{10, 8});
  REQUIRE(json(json(folded).get<TensorMap>()) == json(folded));

  const auto refused = [](const std::string& map) { return variant_complaint("\"x\", \"y\"", map + ", \"y\""); };
  REQUIRE_THAT(refused("tensor_map { \"xx\", box = { 4 } }"),
               Catch::Contains("names 'xx', which is no tensor; did you mean 'x'?"));
  REQUIRE_THAT(refused("tensor_map { \"x\", box = { 4, 4 } }"), Catch::Contains("1 extents, 1 strides and a box of 2"));
  REQUIRE_THAT(refused("tensor_map { \"x\", box = { 64 }, swizzle = \"128b\" }"),
               Catch::Contains("exceed the swizzle's span of 128"));
  REQUIRE_THAT(refused("tensor_map { \"x\", box = { 3 } }"),
               Catch::Contains("rows are 12 bytes; they must be multiples of 16"));
  REQUIRE_THAT(refused("tensor_map { \"x\", box = { 300 } }"), Catch::Contains("1 to 256 are possible"));
  REQUIRE_THAT(refused("tensor_map { \"x\", boxes = { 4 } }"),
               Catch::Contains("boxes") && Catch::Contains("did you mean 'box'?"));
}

TEST_CASE("library steps name an operation, its operands and nothing else") {
  const auto complaint = [](const std::string& step) {
    return variant_complaint("return { launch", "return { library { " + step + " }, launch");
  };
  const std::string gemm = R"("cublas", "gemm", a = "x", b = "x", c = "y", m = 2, n = 2, k = 2)";
  REQUIRE_THAT(complaint(R"("cublas", "gem")"),
               Catch::Contains("library names no operation of a library; write one of: library { \"cublas\", \"gemm\", "
                               "... }, library { \"cudnn\", \"attention\", ... }"));
  REQUIRE_THAT(complaint(gemm + ", algoritm = 1"),
               Catch::Contains("library cublas gemm has no option 'algoritm'; did you mean 'algorithm'?"));
  REQUIRE_THAT(complaint(R"("cublas", "gemm", a = "x", b = "x", c = "y", m = 2, n = 2)"), Catch::Contains("'k'"));
  REQUIRE_THAT(complaint(R"("cublas", "gemm", a = "x", b = "x", c = "x", m = 2, n = 2, k = 2)"),
               Catch::Contains("writes 'x'; only workspaces and outputs may be written"));
  REQUIRE_THAT(complaint(R"("cudnn", "attention", q = "x", k = "zz", v = "x", o = "y")"),
               Catch::Contains("names 'zz'"));
  REQUIRE_THAT(complaint(R"("cudnn", "attention", q = "x", k = 1, v = "x", o = "y")"),
               Catch::Contains("the name of an argument or workspace"));
}

TEST_CASE("a variant manifest is checked as strictly as a kernel's") {
  const auto refused = [](const std::string& from, const std::string& to) {
    PluginFolder folder;
    folder.variant(edited(kGoodVariant, from, to));
    return complaint([&] { folder.catalog().kernel("scale"); });
  };
  REQUIRE(refused("technique = \"naive\",", "") ==
          "kernels/scale/variants/00_naive.lua:1: variant misses the field 'technique'; add technique = ...");
  REQUIRE_THAT(refused("technique =", "risk = \"lo\", technique ="),
               Catch::Contains("it must be one of: low, medium, high; did you mean 'low'?"));
  REQUIRE_THAT(refused("bind = \"launch\"", "bind = \"lunch\""),
               Catch::Contains("parameter 'BLOCK' has bind = 'lunch'") && Catch::Contains("did you mean 'launch'?"));
  REQUIRE_THAT(refused("{ 4, 2 }", "{ 4, 2, 4.0 }"), Catch::Contains("parameter 'VEC' lists 4 twice"));
  REQUIRE_THAT(refused("{ 4, 2 }", "{}"), Catch::Contains("a list of at least one value"));
  REQUIRE_THAT(refused("technique =", "requires = { arch = \"sm_90\" }, technique ="),
               Catch::Contains("has arch = 'sm_90'"));
  REQUIRE_THAT(refused("technique =", "estimate = { speedup = { 3, 2 } }, technique ="),
               Catch::Contains("0 < lowest <= highest"));
  REQUIRE_THAT(refused("technique =", "options = { \"-I/etc\" }, technique ="),
               Catch::Contains("the option '-I/etc', which is not allowed"));
}

TEST_CASE("an estimate may depend on the workload") {
  PluginFolder folder;
  const auto with = [&](const std::string& estimate) {
    std::string text = kGoodVariant;
    folder.write("scale/variants/00_naive.lua",
                 text.replace(text.find("technique ="), 0, "estimate = " + estimate + ", "));
    return folder.catalog();
  };
  LuaCatalog catalog = with("function(w) return { speedup = { 1, w.N }, probability = 0.5 } end");
  CHECK(catalog.kernel("scale").variants.at(0).prior_by_workload);
  const Prior small = catalog.plugin("scale").prior("00_naive", "small"),
              large = catalog.plugin("scale").prior("00_naive", "large");
  CHECK(small.probability == 0.5);
  CHECK(small.speedup_hi < large.speedup_hi);
  CHECK(with("{ speedup = { 2, 3 } }").plugin("scale").prior("00_naive", "large").speedup_hi == 3);
  LuaCatalog wrong = with("function(w) return { speedup = { 3, 2 } } end");
  REQUIRE_THAT(complaint([&] { wrong.plugin("scale").prior("00_naive", "small"); }),
               Catch::Contains("0 < lowest <= highest"));
  CHECK(!wrong.inspect("scale", cuda_device()).empty());
}

TEST_CASE("a variant needs its number and its source") {
  PluginFolder folder;
  folder.write("scale/variants/fast.lua", kGoodVariant);
  REQUIRE_THAT(complaint([&] { folder.catalog().kernel("scale"); }), Catch::Contains("variants are named NN_name.lua"));
  std::filesystem::remove(folder.path() / "scale/variants/fast.lua");
  std::filesystem::remove(folder.path() / "scale/variants/00_naive.cu");
  REQUIRE_THAT(complaint([&] { folder.catalog().kernel("scale"); }), Catch::Contains("00_naive.cu: cannot be read"));
}

TEST_CASE("a configuration that is incomplete or refused is not realized") {
  PluginFolder folder;
  LuaCatalog catalog = folder.catalog();
  const auto refused = [&](const Config& config) {
    return complaint([&] {
      catalog.plugin("scale").realize({"scale", "00_naive", "", config}, "small", cpu_device());
    });
  };
  REQUIRE_THAT(refused({{"BLOCK", std::int64_t{64}}}), Catch::Contains("misses parameter 'VEC'"));
  REQUIRE_THAT(refused({{"BLOCK", std::int64_t{64}}, {"VEC", std::int64_t{3}}}), Catch::Contains("has no value 3"));
}

TEST_CASE("every kernel in the repository has something to run by default on both devices") {
  LuaCatalog catalog({kSource / "kernels"}, {kSource / "kernels/include"}, {"cpu", "cuda"});
  for (const std::string& name : catalog.kernel_names()) {
    for (const char* device : {"cpu", "cuda"}) {
      INFO(name << " on " << device);
      REQUIRE(std::ranges::any_of(catalog.kernel(name).workloads, [&](const Workload& workload) {
        return std::ranges::count(workload.sets, "default") > 0 && std::ranges::count(workload.devices, device) > 0;
      }));
    }
  }
}

TEST_CASE("a large workload has a small point like it, and hidden points of several tiles are small too") {
  LuaCatalog catalog({std::string(HARNESS_SOURCE_DIR) + "/kernels"},
                     {std::string(HARNESS_SOURCE_DIR) + "/kernels/include"});
  DeviceInfo device;
  device.device = "cuda:0";
  device.compute_capability = 90;
  device.max_shared_bytes = 232448;
  const Config config = catalog.plugin("rmsnorm_int8").default_config("00_naive", "prefill_bf16", device, {});
  const Candidate candidate{"rmsnorm_int8", "00_naive", "", config};
  const auto small = catalog.plugin(candidate.kernel).smaller(candidate, "prefill_bf16", device, 4 << 20, 512);
  REQUIRE(small);
  CHECK(small->problem.work.bytes <= 4 << 20);
  CHECK(fewest_output_elements(small->problem) >= 512);
  CHECK(to_text(small->problem.workload.values.at("dtype")) == "bf16");
  CHECK_FALSE(
      catalog.plugin(candidate.kernel).smaller(candidate, "prefill_bf16", device, 1000, 512));  // 512 rows move more
  double least = 1e300, most = 0;
  for (const Realized& point : catalog.plugin(candidate.kernel).neighbours(candidate, "prefill_bf16", device, 8, 3)) {
    least = std::min(least, amount_of(point.problem.work));
    most = std::max(most, amount_of(point.problem.work));
  }
  CHECK(most <= 2e7);
  CHECK(most > 4 * least);
}

TEST_CASE("points of the domain beside and beyond the timed size are drawn, and one fills the device twice") {
  LuaCatalog catalog({kSource / "kernels"}, {kSource / "kernels/include"}, {"cpu", "cuda"});
  const auto points = [&](const DeviceInfo& device, bool finalist, std::uint64_t seed) {
    const Config config = catalog.plugin("softmax").default_config("00_naive", "m64n512_f32", device, {});
    return catalog.plugin("softmax").distant_points({"softmax", "00_naive", "", config}, "m64n512_f32", device,
                                                    finalist, seed);
  };
  const double timed = amount_of(catalog.plugin("softmax").problem("m64n512_f32").work);
  for (const DeviceInfo& device : {cpu_device(), cuda_device()}) {
    int beyond = 0, near = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      bool fills = false;
      std::set<std::string> beyond_size;
      for (const Realized& point : points(device, true, seed * 12345)) {
        for (const auto& [size, timed_size] : {std::pair{"M", 64}, std::pair{"N", 512}})
          if (std::get<std::int64_t>(point.problem.workload.values.at(size)) > timed_size) beyond_size.insert(size);
        const double share = amount_of(point.problem.work) / timed;
        beyond += share > 1 ? 1 : 0;
        near += share > 0.8 && share < 1.25 ? 1 : 0;
        fills = fills || fills_device_twice(point.plan, device.multiprocessors, device.emulation);
        CHECK(to_text(point.problem.workload.values.at("dtype")) == "f32");
        CHECK_FALSE(point.problem.workload.name.empty());
      }
      CHECK(beyond_size == std::set<std::string>{"M", "N"});  // one of each, whatever the seed
      CHECK((fills || !device.emulation));  // no softmax of this domain fills an H200 twice with a thread a row
    }
    CHECK(beyond >= 5);
    CHECK(near >= 5);
  }
  CHECK(points(cpu_device(), false, 1).size() <= 3);
}

TEST_CASE("a finalist meets each size at its most, and at powers of two") {
  LuaCatalog catalog({kSource / "kernels"}, {kSource / "kernels/include"}, {"cpu", "cuda"});
  KernelPlugin& softmax = catalog.plugin("softmax");
  const DeviceInfo device = cuda_device();
  const Config config = softmax.default_config("00_naive", "m64n512_f32", device, {});
  const auto ranges = softmax.size_ranges("m64n512_f32");
  REQUIRE(ranges.size() == 2);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    std::set<std::string> at_most, at_power;
    for (const Realized& point :
         softmax.distant_points({"softmax", "00_naive", "", config}, "m64n512_f32", device, true, seed * 777))
      for (const auto& [size, range] : ranges) {
        const auto value = std::get<std::int64_t>(point.problem.workload.values.at(size));
        if (value == range.hi) at_most.insert(size);
        if (value >= 32 && std::has_single_bit(static_cast<std::uint64_t>(value))) at_power.insert(size);
      }
    CHECK(at_most == std::set<std::string>{"M", "N"});
    CHECK(at_power == std::set<std::string>{"M", "N"});
  }
}

TEST_CASE("a finalist on a GPU meets a point that is larger as a whole, however large the timed one is") {
  LuaCatalog catalog({kSource / "kernels"}, {kSource / "kernels/include"}, {"cpu", "cuda"});
  const char* const workload = "long_b8h16s2048d128_bf16";
  const Config config = catalog.plugin("attention").default_config("00_naive", workload, cuda_device(), {});
  const double timed = amount_of(catalog.plugin("attention").problem(workload).work);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    double most = 0;
    for (const Realized& point :
         catalog.plugin("attention")
             .distant_points({"attention", "00_naive", "", config}, workload, cuda_device(), true, seed * 12345))
      most = std::max(most, amount_of(point.problem.work));
    CHECK(most > timed);
  }
}

TEST_CASE("a finalist meets each size at its least and beyond a byte, and its flags with sizes in any order") {
  LuaCatalog catalog({kSource / "kernels"}, {kSource / "kernels/include"}, {"cpu", "cuda"});
  const char* const workload = "quick_b1h2s65_bf16_causal";
  const Config config = catalog.plugin("attention").default_config("00_naive", workload, cpu_device(), {});
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    std::set<std::string> least, wide, fewer_keys, more_keys;
    for (const Realized& point :
         catalog.plugin("attention")
             .distant_points({"attention", "00_naive", "", config}, workload, cpu_device(), true, seed * 12345)) {
      const auto& values = point.problem.workload.values;
      const auto size = [&](const char* name) { return std::get<std::int64_t>(values.at(name)); };
      for (const char* name : {"B", "Hkv", "Hq", "Sq", "Sk"}) {
        if (size(name) == 1) least.insert(name);
        if (size(name) >= 256) wide.insert(name);
      }
      if (size("Sq") > size("Sk")) fewer_keys.insert(to_text(values.at("lse")));
      if (size("Sq") < size("Sk")) more_keys.insert(to_text(values.at("lse")));
    }
    CHECK(least == std::set<std::string>{"B", "Hkv", "Hq", "Sq", "Sk"});
    CHECK(wide == std::set<std::string>{"B", "Sq", "Sk"});  // there are at most 128 heads
    CHECK(fewer_keys.size() == 2);  // causal: rows that see nothing, with and without a log-sum-exp
    CHECK(more_keys.size() == 2);
  }
}

TEST_CASE("points for the gates launch no more threads than an emulated device takes in seconds") {
  LuaCatalog catalog({kSource / "kernels"}, {kSource / "kernels/include"}, {"cpu", "cuda"});
  const char* const workload = "seed_b1h1s128_f16";
  const auto most_threads = [&](const DeviceInfo& device) {
    const Config config = catalog.plugin("attention").default_config("75_persistent", workload, device, {});
    std::int64_t most = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      const auto points =
          catalog.plugin("attention").neighbours({"attention", "75_persistent", "", config}, workload, device, 6, seed);
      REQUIRE_FALSE(points.empty());
      for (const Realized& point : points) most = std::max(most, launched_threads(point.plan));
    }
    return most;
  };
  CHECK(most_threads(cpu_device()) <= 1 << 19);
  CHECK(most_threads(cuda_device()) > 1 << 19);
}

TEST_CASE("a shape of one's own is a workload, named by all its values, and changes no admission") {
  PluginFolder folder;
  LuaCatalog catalog = folder.catalog();
  const std::string before = catalog.plugin("scale").admission_hash();
  const std::string name = catalog.plugin("scale").add_shape("N=3000 dtype=f16", cuda_device());
  CHECK(name == "N=3000 dtype=f16");
  CHECK(catalog.plugin("scale").add_shape("dtype=f16   N=3000", cuda_device()) == name);
  CHECK(catalog.plugin("scale").add_shape("N=3001", cuda_device()) == "N=3001 dtype=f32");
  CHECK(catalog.kernel("scale").workloads.size() == 4);
  CHECK(to_text(catalog.plugin("scale").problem(name).workload.values.at("N")) == "3000");
  CHECK(catalog.plugin("scale").problem(name).contract_hash != catalog.plugin("scale").problem("large").contract_hash);
  CHECK(catalog.plugin("scale").admission_hash() == before);
  const Config config = catalog.plugin("scale").default_config("00_naive", name, cuda_device(), {});
  CHECK(catalog.plugin("scale").realize({"scale", "00_naive", "", config}, name, cuda_device()).problem.workload.name ==
        name);
}

TEST_CASE("a shape that the kernel cannot have is refused in a sentence") {
  PluginFolder folder;
  LuaCatalog catalog = folder.catalog();
  const auto refusal = [&](const std::string& text) {
    return complaint([&] { catalog.plugin("scale").add_shape(text, cuda_device()); });
  };
  CHECK_THAT(refusal("M=3"), Catch::Contains("has no size 'M'"));
  CHECK_THAT(refusal("N"), Catch::Contains("write N=VALUE"));
  CHECK_THAT(refusal("N=many"), Catch::Contains("N is many where 100 stands in 'small'"));
  CHECK_THAT(refusal("N=5000"), Catch::Contains("outside the domain range(1, 4096)"));
  CHECK_THAT(refusal("N=9 dtype=bf16"), Catch::Contains("no workload of kernel 'scale' has dtype=bf16"));
  CHECK(catalog.kernel("scale").workloads.size() == 2);
}

TEST_CASE("a candidate's source has one name, whatever the folder of kernels is called and however it is spelled") {
  namespace fs = std::filesystem;
  PluginFolder folder;
  const fs::path original = folder.path(), other = original.parent_path() / "mine of 2026";
  fs::copy(original, other, fs::copy_options::recursive);
  std::set<std::string> names;
  for (const fs::path& spelled : {original, original / "", original / "..." / "..", other, other / ".", other / ""}) {
    if (!fs::exists(spelled)) continue;
    LuaCatalog catalog({spelled}, {}, {"cpu", "cuda"});
    const Config config = catalog.plugin("scale").default_config("00_naive", "small", cuda_device(), {});
    const Realized realized =
        catalog.plugin("scale").realize({"scale", "00_naive", "", config}, "small", cuda_device());
    names.insert(realized.build.source_name);
    names.insert(realized.sources.front().name);
  }
  fs::remove_all(other);
  CHECK(names == std::set<std::string>{"kernels/scale/variants/00_naive.cu"});
}
