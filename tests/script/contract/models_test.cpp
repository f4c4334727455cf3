#include "harness/script/contract/models.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/script/catalog_folder.h"

using namespace harness;
using namespace harness::script;

namespace {

constexpr const char* kSmallModel = R"(return model {
  name = "small", source = "config.json of nobody/small", phases = { "prefill", "decode" }, dtype = "f16",
  context = 512, layers = 3, hidden = 64, heads = 4, kv_heads = 2, mlp = 96, vocabulary = 100,
})";

std::string with_change(const std::string& from, const std::string& to) {
  std::string text = kSmallModel;
  return text.replace(text.find(from), from.size(), to);
}

std::string model_complaint(const std::string& from, const std::string& to) {
  return complaint([&] { model_from(with_change(from, to), "models/small.lua"); });
}

std::int64_t fact(const Model& model, const std::string& name) {
  return std::get<std::int64_t>(model.facts.at(name));
}

/// The sizes that a fixture's kernel says it has.
constexpr const char* kModelsOfScale = R"(
  models = function(m, q)
    if q.phase == "decode" then return {} end
    return { { part = "all", N = q.batch * min(q.context, 64), dtype = "f16", weight = 2 * m.layers } }
  end,
)";

void say_models(PluginFolder& folder, const std::string& function) {
  folder.kernel(edited(kGoodKernel, "domain =", function + "domain ="));
}

}  // namespace

TEST_CASE("thirty published models come with harness, each a decoder, an encoder or both") {
  const std::vector<Model> models = read_models({kSource / "models"});
  CHECK(models.size() >= 30);
  for (const Model& model : models) {
    INFO(model.name);
    CHECK(model.source.starts_with("config.json of "));
    CHECK(fact(model, "heads") % fact(model, "kv_heads") == 0);
    CHECK(fact(model, "mlp") > 0);
    // Of all but these the heads fill the hidden size.
    const bool wide = std::set<std::string>{"mistral-nemo-12b", "qwen3-30b-a3b", "gemma-7b"}.contains(model.name);
    CHECK((fact(model, "heads") * fact(model, "head_dim") == fact(model, "hidden")) != wide);
  }
}

TEST_CASE("a model's facts are all there, also those that it does not say") {
  const Model model = model_from(kSmallModel, "models/small.lua");
  CHECK(fact(model, "head_dim") == 16);
  CHECK(fact(model, "experts") == 0);
  CHECK(fact(model, "cross_hidden") == 64);
  CHECK(std::get<bool>(model.facts.at("gated")) == false);
  CHECK(usual_context(model, "decode") == 512);
}

TEST_CASE("a model with a mistake, or with numbers that contradict each other, is refused with file and line") {
  CHECK_THAT(model_complaint("heads = 4", "haeds = 4"), Catch::Contains("did you mean 'heads'"));
  CHECK_THAT(model_complaint("kv_heads = 2", "kv_heads = 3"),
             Catch::Contains("models/small.lua:1: model: field 'kv_heads' must be a divisor"));
  CHECK_THAT(model_complaint("hidden = 64", "hidden = 66"), Catch::Contains("give head_dim"));
  CHECK_THAT(model_complaint("\"f16\"", "\"f32\""), Catch::Contains("must be \"f16\" or \"bf16\""));
  CHECK_THAT(model_complaint("\"decode\"", "\"deocde\""), Catch::Contains("did you mean 'decode'"));
  CHECK_THAT(model_complaint("\"decode\"", "\"cross\""), Catch::Contains("give cross_queries and cross_keys"));
  CHECK_THAT(model_complaint("mlp = 96", "experts = 8"), Catch::Contains("must have both experts"));
  CHECK_THAT(model_complaint("layers = 3", "layers = 0"), Catch::Contains("whole number from 1"));
}

TEST_CASE("a model of one's own takes the place of one that came along, and is named as its file") {
  PluginFolder own;
  own.write("small.lua", kSmallModel);
  own.write("gpt2.lua", with_change("\"small\"", "\"gpt2\""));
  const std::vector<Model> models = read_models({own.path(), kSource / "models"});
  const auto of = [&](const std::string& name) { return *std::ranges::find(models, name, &Model::name); };
  CHECK(fact(of("small"), "layers") == 3);
  CHECK(fact(of("gpt2"), "hidden") == 64);
  own.write("large.lua", kSmallModel);
  CHECK_THAT(complaint([&] { read_models({own.path()}); }), Catch::Contains("file and model have one name"));
}

TEST_CASE("a kernel's own function says which shapes it has in a model, with the calls of a pass as weights") {
  PluginFolder folder;
  say_models(folder, kModelsOfScale);
  LuaCatalog catalog = folder.catalog();
  LoadedKernel& kernel = catalog.plugin("scale");
  const Model model = model_from(kSmallModel, "models/small.lua");
  const std::vector<ModelShape> shapes = kernel.model_shapes(model, {"prefill", 2, 100});
  REQUIRE(shapes.size() == 1);
  CHECK(shapes[0].part == "all");
  CHECK(shapes[0].shape == "N=128 dtype=f16 weight=6");
  CHECK(kernel.model_shapes(model, {"decode", 2, 100}).empty());
  const std::string name = kernel.add_shape(shapes[0].shape, cpu_device());
  CHECK(name == "N=128 dtype=f16");
  CHECK(kernel.info().workloads.back().weight == 6);
  kernel.add_shape(name, cpu_device());
  CHECK(kernel.info().workloads.back().weight == 6);
  CHECK_THAT(complaint([&] { kernel.add_shape("N=128 weight=-1", cpu_device()); }), Catch::Contains("above 0"));
}

TEST_CASE("a function of models that slips is refused in a sentence") {
  const Model model = model_from(kSmallModel, "models/small.lua");
  const auto refusal = [&](const std::string& result) {
    PluginFolder folder;
    if (!result.empty()) say_models(folder, "models = function(m, q) return " + result + " end,\n");
    LuaCatalog catalog = folder.catalog();
    return complaint([&] { catalog.plugin("scale").model_shapes(model, {"prefill", 1, 100}); });
  };
  CHECK_THAT(refusal(""), Catch::Contains("does not say which sizes it has in a model"));
  CHECK_THAT(refusal("3"), Catch::Contains("must return a list"));
  CHECK_THAT(refusal("{ { N = 3 } }"), Catch::Contains("misses 'dtype'"));
  CHECK_THAT(refusal("{ { N = 3, M = 2, dtype = \"f16\" } }"), Catch::Contains("'M', which is no field"));
  CHECK_THAT(refusal("{ { N = m.hiden } }"), Catch::Contains("did you mean 'hidden'"));
}

TEST_CASE("the shipped kernels have the shapes that a model gives them") {
  LuaCatalog catalog({kSource / "kernels"}, {kSource / "kernels/include"}, {"cpu", "cuda"});
  const std::vector<Model> models = read_models({kSource / "models"});
  const auto of = [&](const std::string& name) { return *std::ranges::find(models, name, &Model::name); };
  const auto attention = catalog.plugin("attention").model_shapes(of("llama-3.1-70b"), {"decode", 16, 6000});
  REQUIRE(attention.size() == 1);
  CHECK(attention[0].shape == "B=16 D=128 Hkv=8 Hq=64 Sk=6000 Sq=1 causal=false dtype=bf16 lse=false weight=80");
  const auto gemm = catalog.plugin("gemm").model_shapes(of("llama-3.1-70b"), {"decode", 16, 6000});
  std::vector<std::string> parts;
  for (const ModelShape& each : gemm) parts.push_back(each.part);
  CHECK(parts == std::vector<std::string>{"qkv", "o", "gate-up", "down", "head"});
  CHECK_THAT(gemm[2].shape, Catch::Contains("K=8192 M=16 N=57344"));
  // 16 tokens with 8 of 128 experts each: one token an expert, at most.
  const auto experts = catalog.plugin("gemm").model_shapes(of("qwen3-30b-a3b"), {"decode", 16, 100});
  CHECK_THAT(experts[2].shape, Catch::Contains("K=2048 M=1 N=1536") && Catch::Contains("weight=6144"));
}

TEST_CASE("every shape of every model in every phase lies in the domain of the kernels, or the width is none of theirs",
          "[.nightly]") {
  LuaCatalog catalog({kSource / "kernels"}, {kSource / "kernels/include"}, {"cpu", "cuda"});
  for (const Model& model : read_models({kSource / "models"}))
    for (const std::string& phase : model.phases)
      for (const std::string kernel : {"attention", "gemm", "rmsnorm_int8"})
        for (const ModelShape& each :
             catalog.plugin(kernel).model_shapes(model, {phase, 1, usual_context(model, phase)})) {
          INFO(model.name << " " << phase << " " << kernel << " " << each.shape);
          CHECK_NOTHROW(catalog.plugin(kernel).add_shape(each.shape, cuda_device()));
        }
}
