#include "harness/core/contract.h"
#include "tests/script/catalog_folder.h"

using namespace harness;
using namespace harness::script;

namespace {

Problem fixture(const std::string& kernel, const std::string& workload) {
  return LuaCatalog({kSource / "tests/fixtures/kernels"}, {}).plugin(kernel).problem(workload);
}

using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("an argument is made of numbers on its workload") {
  PluginFolder folder;
  const Problem problem = folder.catalog().plugin("scale").problem("large");
  const Argument& x = *find_argument(problem, "x");
  REQUIRE(x.kind == ArgumentKind::input);
  REQUIRE(x.dtype == Dtype::f16);
  REQUIRE(x.shape == Numbers{4096});
  REQUIRE(x.strides == Numbers{1});
  REQUIRE(x.align == 16);
  REQUIRE(x.gen->kind == "normal");
  REQUIRE(find_argument(problem, "y")->compare->kind == "relative");
  REQUIRE(find_argument(problem, "a")->value == Value(std::int64_t{2}));
  REQUIRE(problem.reference.entry == "reference<__half>");
  REQUIRE(problem.reference.size_values == Numbers{4096});
  REQUIRE(problem.reference.threads == 4096);
  REQUIRE(problem.work.bytes == 8192);
  REQUIRE(problem.work.flops.at("f32") == 4096);
  REQUIRE(problem.workload.weight == 2);
}

TEST_CASE("properties name the sizes over which rows keep their bits") {
  LuaCatalog hostile({kSource / "tests/hostile"}, {});
  REQUIRE(hostile.plugin("rowdots").problem("b5k77").batch_invariant == std::vector<std::string>{"B"});
  REQUIRE(fixture("packed_qkv", "padded").batch_invariant.empty());
}

TEST_CASE("a view, a struct, an optional output and padded rows are laid out") {
  const Problem problem = fixture("packed_qkv", "padded");
  const Argument& qkv = *find_argument(problem, "qkv");
  REQUIRE(qkv.shape == Numbers{5, 24});
  REQUIRE(qkv.strides == Numbers{100, 1});
  REQUIRE(qkv.align == 32);
  const Argument& k = *find_argument(problem, "k");
  REQUIRE(k.kind == ArgumentKind::view);
  REQUIRE(k.of == "qkv");
  REQUIRE(k.offset == 8);
  REQUIRE(k.dtype == Dtype::f16);
  REQUIRE(k.align == 16);  // 8 halves into a tensor aligned to 32
  const Argument& p = *find_argument(problem, "p");
  Numbers offsets;
  for (const Field& field : p.fields) offsets.push_back(field.offset);
  REQUIRE(offsets == Numbers{0, 4, 8, 16, 24});
  REQUIRE(p.struct_bytes == 32);
  REQUIRE(p.fields[1].value == Value(0.125));
  REQUIRE(p.fields[2].value == Value(std::int64_t{5}));
  REQUIRE_FALSE(find_argument(problem, "sums")->absent);
  REQUIRE(find_argument(fixture("packed_qkv", "plain"), "sums")->absent);
  REQUIRE(problem.reference.size_values == Numbers{5, 8, 100, 12, 1});
}

TEST_CASE("generators of ragged data carry numbers and the names they depend on") {
  const Problem problem = fixture("segments", "few");
  REQUIRE(find_argument(problem, "lengths")->gen->options == json{{"lo", 1}, {"hi", 40}, {"capacity", 280}});
  REQUIRE(find_argument(problem, "starts")->gen->options == json{{"of", "lengths"}});
  REQUIRE(find_argument(problem, "order")->gen->kind == "permutation");
  REQUIRE(find_argument(problem, "x")->shape == Numbers{280});  // a sum of drawn lengths: its capacity
  REQUIRE(find_argument(problem, "x")->gen->options == json{{"lo", -1}, {"hi", 1}});
  REQUIRE(find_argument(problem, "out")->compare->tolerance == 1e-4);
  REQUIRE_FALSE(problem.deterministic);
  REQUIRE(problem.policy.contains("atomics"));
}

TEST_CASE("routing, masks, block tables and the other comparisons resolve") {
  const Problem problem = fixture("experts", "small");
  REQUIRE(find_argument(problem, "route")->gen->options == json{{"experts", 8}, {"k", 2}, {"skew", 0.5}, {"empty", 1}});
  REQUIRE(find_argument(problem, "keep")->dtype == Dtype::b8);
  REQUIRE(find_argument(problem, "keep")->gen->options == json{{"density", 0.75}});
  REQUIRE(find_argument(problem, "bias")->strides == Numbers{0});
  REQUIRE(find_argument(problem, "table")->gen->options ==
          json{{"lengths", "lengths"}, {"block", 8}, {"blocks", 32}, {"unused", "valid"}});
  REQUIRE(find_argument(problem, "noise")->gen->options == json{{"lo", 0}, {"hi", 7}});
  REQUIRE(find_argument(problem, "counts")->compare->kind == "exact");
  REQUIRE(find_argument(problem, "best")->compare->kind == "set");
  REQUIRE(find_argument(problem, "best")->compare->options == json{{"indices", "order"}});
  const Argument& rows = *find_argument(problem, "rows");
  REQUIRE(rows.compare->kind == "ulp");
  REQUIRE(rows.compare->tolerance == 2);
  REQUIRE(rows.valid_rows == "lengths");
  REQUIRE(rows.outside == "anything");
}

TEST_CASE("arrays of pointers and tensor maps refer to their tensor") {
  const Problem problem = fixture("grouped", "three");
  REQUIRE(find_argument(problem, "groups")->offsets == Numbers{32, 16, 0});
  REQUIRE(find_argument(problem, "groups")->of == "x");
  REQUIRE(find_argument(problem, "outs")->offsets == Numbers{0, 16, 32});
  REQUIRE(find_argument(problem, "window")->strides == Numbers{1, 1});
  REQUIRE(find_argument(problem, "small")->dtype == Dtype::e4m3);
  const Argument& map = *find_argument(problem, "map");
  REQUIRE(map.shape == Numbers{3, 16});
  REQUIRE(map.map == json{{"box", {1, 16}}, {"swizzle", "32b"}, {"promotion", "128b"}});
}

TEST_CASE("custom device code and golden folders become absolute paths") {
  const Problem problem = fixture("escapes", "only");
  const Argument& x = *find_argument(problem, "x");
  REQUIRE(std::filesystem::equivalent(x.gen->options["source"].get<std::string>(),
                                      kSource / "tests/fixtures/kernels/escapes/gen.cu"));
  REQUIRE(x.gen->options["entry"] == "fill<100>");
  const Argument& y = *find_argument(problem, "y");
  REQUIRE(y.kind == ArgumentKind::inout);
  REQUIRE(y.gen->options == json{{"mean", 1}, {"std", 100}});
  REQUIRE(y.compare->options["threads"] == 1);
  REQUIRE(find_argument(problem, "factor")->value == Value(12.5));
  REQUIRE(std::filesystem::is_directory(problem.reference.golden.at(0)));
}

TEST_CASE("a missing field, an unknown field and a wrong type name the line and the field") {
  REQUIRE(kernel_complaint("summary = \"y = a x\",", "") ==
          "kernels/scale/kernel.lua:1: kernel misses the field 'summary'; add summary = ...");
  REQUIRE(kernel_complaint("summary =", "sumary =") ==
          "kernels/scale/kernel.lua:1: kernel has an unknown field 'sumary'; did you mean 'summary'?");
  REQUIRE(kernel_complaint("shape = { \"N\" }, gen", "shap = { \"N\" }, gen") ==
          "kernels/scale/kernel.lua:9: input 'x' has an unknown field 'shap'; did you mean 'shape'?");
  REQUIRE(kernel_complaint("gen = normal {} }", "gen = normal {}, align = \"16\" }") ==
          "kernels/scale/kernel.lua:9: input 'x': field 'align' must be a whole number, not the string '16'");
  for (const char* field : {"contract = 1, ", "name = \"scale\", ",
                            "domain = { N = range(1, 4096), dtype = one_of { \"f32\", \"f16\" } },"}) {
    REQUIRE_THAT(kernel_complaint(field, ""), Catch::Contains("kernel misses the field '"));
  }
}

TEST_CASE("the version and the name of a contract are checked") {
  REQUIRE_THAT(kernel_complaint("contract = 1", "contract = 2"), Catch::Contains("'contract' must be 1"));
  REQUIRE_THAT(kernel_complaint("name = \"scale\"", "name = \"scales\""),
               Catch::Contains("is named 'scales' in a folder named 'scale'"));
}

TEST_CASE("workloads lie in the domain") {
  REQUIRE(kernel_complaint("N = 100", "N = 5000") ==
          "kernels/scale/kernel.lua:1: workload 'small' has N = 5000, outside the domain range(1, 4096)");
  REQUIRE_THAT(kernel_complaint("N = 100, dtype = \"f32\"", "N = 100, dtype = \"bf16\""),
               Catch::Contains("outside the domain one_of { f32, f16 }"));
  REQUIRE_THAT(kernel_complaint("range(1, 4096)", "multiples_of(3, 1, 4096)"),
               Catch::Contains("N = 100, outside the domain multiples_of(3, 1, 4096)"));
  REQUIRE_THAT(kernel_complaint("N = 100,", "n = 100,"),
               Catch::Contains("workload 'small' misses 'N', which the domain names"));
  REQUIRE_THAT(kernel_complaint("N = 100,", "N = 100.5,"), Catch::Contains("outside the domain"));
  REQUIRE_THAT(kernel_complaint("range(1, 4096)", "range(8, 4)"), Catch::Contains("domain of 'N' is empty"));
  REQUIRE_THAT(kernel_complaint("range(1, 4096),", "range(1, 4096), where = function(w) return ne(w.N, 100) end,"),
               Catch::Contains("workload 'small' is outside the domain: its 'where' refuses it"));
  REQUIRE_THAT(kernel_complaint("name = \"large\"", "name = \"small\""),
               Catch::Contains("two workloads are named 'small'"));
  REQUIRE_THAT(kernel_complaint("weight = 2", "weight = 0"), Catch::Contains("'weight' must be a number above 0"));
  REQUIRE_THAT(kernel_complaint("weight = 2", "devices = { \"gpu\" }"), Catch::Contains("devices are cpu and cuda"));
}

TEST_CASE("sizes and types that do not exist are named with the nearest") {
  REQUIRE_THAT(kernel_complaint("shape = { \"N\" }, gen", "shape = { \"n\" }, gen"),
               Catch::Contains("names 'n', which workload 'small' does not have; did you mean 'N'?"));
  REQUIRE_THAT(kernel_complaint("dtype = \"f32\", value", "dtype = \"fp32\", value"),
               Catch::Contains("unknown element type 'fp32'; did you mean 'f32'?"));
  REQUIRE_THAT(kernel_complaint("dtype = \"f32\", value", "dtype = \"s4\", value"), Catch::Contains("reserved"));
  REQUIRE_THAT(kernel_complaint("reference<$dtype>", "reference<$dtyp>"), Catch::Contains("did you mean 'dtype'?"));
  REQUIRE_THAT(kernel_complaint("sizes = { \"N\" }", "sizes = { \"dtype\" }"),
               Catch::Contains("sizes are whole numbers"));
  REQUIRE_THAT(kernel_complaint("shape = { \"N\" }, gen", "shape = { function(w) return w.N / 3 end }, gen"),
               Catch::Contains("must be a whole number"));
}

TEST_CASE("layouts that cannot be are refused") {
  REQUIRE_THAT(kernel_complaint("gen = normal {} }", "strides = { 1, 1 } }"),
               Catch::Contains("has 2 strides for 1 dimensions"));
  REQUIRE_THAT(kernel_complaint("gen = normal {} }", "strides = { -1 } }"), Catch::Contains("negative stride"));
  REQUIRE_THAT(kernel_complaint("gen = normal {} }", "align = 24 }"), Catch::Contains("power of two"));
  REQUIRE_THAT(kernel_complaint("compare = relative {} }", "strides = { 0 } }"),
               Catch::Contains("may not make places overlap"));
  REQUIRE_THAT(kernel_complaint("shape = { \"N\" }, gen", "shape = { \"N\", 1e9, 1e9 }, gen"),
               Catch::Contains("more than 10^12 elements"));
  REQUIRE_THAT(kernel_complaint("gen = normal {} },",
                                "gen = normal {} }, view { \"v\", of = \"x\", offset = 1, shape = { \"N\" } },"),
               Catch::Contains("reaches outside 'x'"));
  REQUIRE_THAT(kernel_complaint("gen = normal {} },", "gen = normal {} }, view { \"v\", of = \"q\", shape = { 1 } },"),
               Catch::Contains("which is no tensor declared before it"));
  REQUIRE_THAT(
      kernel_complaint("gen = normal {} },", "gen = normal {} }, pointers { \"v\", of = \"x\", offsets = { 100 } },"),
      Catch::Contains("has the offset 100 outside 'x'"));
  REQUIRE_THAT(
      kernel_complaint("gen = normal {} },", "gen = normal {} }, tensor_map { \"m\", of = \"x\", box = { 1, 2 } },"),
      Catch::Contains("one box extent for each dimension"));
  REQUIRE_THAT(kernel_complaint("compare = relative {} }", "outside = \"anything\" }"),
               Catch::Contains("has no valid_rows"));
  REQUIRE_THAT(kernel_complaint("gen = normal {} }", "optional = true }"),
               Catch::Contains("needs both optional = true and present"));
  REQUIRE_THAT(kernel_complaint("output {", "input {"), Catch::Contains("unknown field 'compare'"));
  REQUIRE_THAT(kernel_complaint("scalar { \"a\"", "scalar { \"x\""),
               Catch::Contains("scalar 'x' has the name of an argument before it"));
}

TEST_CASE("generators and comparisons are checked") {
  REQUIRE_THAT(kernel_complaint("gen = normal {}", "gen = normal { sdt = 1 }"),
               Catch::Contains("input 'x': gen has an unknown option 'sdt'; did you mean 'std'?"));
  REQUIRE_THAT(kernel_complaint("gen = normal {}", "gen = exact {}"),
               Catch::Contains("'gen' must be one of: normal, uniform"));
  REQUIRE_THAT(
      kernel_complaint("dtype = \"$dtype\", shape = { \"N\" }, gen = normal {}", "dtype = \"s32\", shape = { \"N\" }"),
      Catch::Contains("has an integer type and no generator"));
  REQUIRE_THAT(kernel_complaint("gen = normal {}", "gen = prefix_sum { of = \"lengths\" }"),
               Catch::Contains("which is no argument declared before it"));
  REQUIRE_THAT(kernel_complaint("gen = normal {}", "gen = custom { source = \"../../x.cu\", entry = \"f\" }"),
               Catch::Contains("outside the kernel's folder"));
  const std::string custom = "gen = custom { source = \"reference.cu\", entry = \"f\", of = { \"y\" } }";
  REQUIRE_THAT(kernel_complaint("gen = normal {}", custom),
               Catch::Contains("gen has of = 'y', which is no argument declared before it"));
  REQUIRE_THAT(kernel_complaint("compare = relative {}", "compare = relative { tolerance = -1 }"),
               Catch::Contains("negative 'tolerance'"));
  REQUIRE_THAT(kernel_complaint("compare = relative {}", "compare = quantized { scale = \"z\" }"),
               Catch::Contains("which is no argument"));
  REQUIRE_THAT(kernel_complaint("compare = relative {}", "compare = ulp {}"),
               Catch::Contains("misses the field 'max'"));
}

TEST_CASE("whether the same bits are asked for may be a flag of the workload") {
  LuaCatalog catalog({kSource / "kernels"}, {kSource / "kernels/include"});
  const auto asks = [&](const char* workload) {
    return catalog.plugin("attention_backward").problem(workload).deterministic;
  };
  REQUIRE(asks("seed_b1h2s129_bf16_causal_deterministic"));
  REQUIRE_FALSE(asks("seed_b1h2s63_f16"));
  REQUIRE_THAT(kernel_complaint("return kernel {", "return kernel { deterministic = \"N\","),
               Catch::Contains("'deterministic' must be true, false, the name of a flag"));
}

TEST_CASE("the reference must be there and the work model positive") {
  REQUIRE_THAT(kernel_complaint("source = \"reference.cu\"", "source = \"referenc.cu\""),
               Catch::Contains("the file 'referenc.cu', which is not there"));
  REQUIRE_THAT(kernel_complaint("threads = \"N\"", "threads = 0"),
               Catch::Contains("has 0 threads on workload 'small'"));
  REQUIRE_THAT(kernel_complaint("bytes = 2 * w.N, flops = { f32 = w.N }", "bytes = 0"),
               Catch::Contains("work is zero on workload 'small'"));
  REQUIRE_THAT(kernel_complaint("bytes = 2 * w.N", "bytes = -1"),
               Catch::Contains("kernel.lua:14: work gives bytes = -1"));
  REQUIRE_THAT(kernel_complaint("bytes = 2 * w.N", "bytes = 1 / 0"), Catch::Contains("must be a finite number"));
  REQUIRE_THAT(kernel_complaint("flops = { f32 =", "flops = { single ="), Catch::Contains("flops of 'single'"));
}

TEST_CASE("a contract may leave out hostile forms, with the reason, and state the accuracy of an output") {
  PluginFolder folder;
  folder.kernel(edited(
      edited(kGoodKernel, "reference =", "forms = { except = { \"shifted\" }, because = \"no mean\" },\n  reference ="),
      "output { \"y\",", "output { \"y\", accuracy = { sum = \"N\", order = \"pairwise\" },"));
  const Problem problem = folder.catalog().plugin("scale").problem("small");
  CHECK(problem.forms.except == std::vector<std::string>{"shifted"});
  CHECK(in_words(problem.forms) == "not tried, by contract: shifted (no mean)");
  const Accuracy& accuracy = *find_argument(problem, "y")->accuracy;
  CHECK(accuracy.declared);
  CHECK(accuracy.sum == std::get<std::int64_t>(problem.workload.values.at("N")));
  CHECK(accuracy.order == SumOrder::pairwise);
}

TEST_CASE("a contract may say what the values of an input are, within which its generator draws") {
  const std::string expected = PluginFolder().catalog().plugin("scale").problem("small").contract_hash;
  PluginFolder folder;
  folder.kernel(edited(kGoodKernel, "input  { \"x\",",
                       "input  { \"x\", values = { range = { -100, 65504 }, infinities = true },"));
  const Problem problem = folder.catalog().plugin("scale").problem("small");
  const ValueDomain domain = find_argument(problem, "x")->values.value();
  CHECK(domain.lo == -100);
  CHECK(domain.hi == 65504);
  CHECK(domain.infinities);
  CHECK_FALSE(domain.nan);
  CHECK(problem.contract_hash != expected);
  const auto complaint = [](const std::string& values) {
    return kernel_complaint("input  { \"x\",", "input  { \"x\", values = " + values + ",");
  };
  CHECK_THAT(complaint("{ range = { 5, 5 } }"), Catch::Contains("holds nothing"));
  CHECK_THAT(complaint("{ range = { 0 } }"), Catch::Contains("{ least, most }"));
  CHECK_THAT(complaint("{ range = { 0, 1 } }"), Catch::Contains("its generator draws from -8 to 8"));
  CHECK_THAT(complaint("{ infinity = true }"),
             Catch::Contains("it may have: range, infinities, nan, denormals, ties, sorted"));
}

TEST_CASE("work may name dependent trips; a contract without them stays what it was") {
  const std::string expected = PluginFolder().catalog().plugin("scale").problem("small").contract_hash;
  PluginFolder folder;
  folder.kernel(edited(kGoodKernel, "bytes =", "dependent = 0, bytes ="));
  CHECK(folder.catalog().plugin("scale").problem("small").contract_hash == expected);
  folder.kernel(edited(kGoodKernel, "bytes =", "dependent = 2, bytes ="));
  const Problem problem = folder.catalog().plugin("scale").problem("small");
  CHECK(problem.work.dependent == 2);
  CHECK(problem.contract_hash != expected);
  CHECK_THAT(kernel_complaint("bytes =", "dependent = -1, bytes ="), Catch::Contains("dependent"));
}

TEST_CASE("a contract may accept comparisons that no input turns, and stays what it was") {
  const std::string expected = PluginFolder().catalog().plugin("scale").problem("small").contract_hash;
  PluginFolder folder;
  folder.kernel(
      edited(kGoodKernel, "reference =", "accept = { [\"sum == 0\"] = \"rows have elements\" },\n  reference ="));
  const Problem problem = folder.catalog().plugin("scale").problem("small");
  CHECK(problem.accept == std::map<std::string, std::string>{{"sum == 0", "rows have elements"}});
  CHECK(problem.contract_hash == expected);
  CHECK_THAT(kernel_complaint("reference =", "accept = { [\"sum == 0\"] = \"\" }, reference ="),
             Catch::Contains("the reason, in words"));
  CHECK_THAT(kernel_complaint("reference =", "accept = { \"sum == 0\" }, reference ="), Catch::Contains("a table of"));
}

TEST_CASE("forms that do not exist, a missing reason and an unknown order are refused") {
  REQUIRE_THAT(
      kernel_complaint("reference =", "forms = { except = { \"shifed\" }, because = \"no\" }, reference ="),
      Catch::Contains("excepts 'shifed', which is no hostile form") && Catch::Contains("did you mean 'shifted'?"));
  REQUIRE_THAT(kernel_complaint("reference =", "forms = { except = { \"nominal\" }, because = \"no\" }, reference ="),
               Catch::Contains("excepts 'nominal'"));
  REQUIRE_THAT(kernel_complaint("reference =", "forms = { except = { \"ramp\" } }, reference ="),
               Catch::Contains("because"));
  REQUIRE_THAT(kernel_complaint("output { \"y\",", "output { \"y\", accuracy = { sum = \"N\", order = \"serial\" },"),
               Catch::Contains("order = 'serial'"));
}
