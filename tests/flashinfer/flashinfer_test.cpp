#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "harness/core/error.h"
#include "harness/flashinfer/cuda_solution.h"
#include "harness/flashinfer/dataset.h"
#include "harness/flashinfer/formula_source.h"
#include "tests/adopt/fixture.h"

// FlashInfer-Bench data sets: read, adopted, written again and adopted from what was written.
using namespace harness;
using namespace harness::tests;
using flashinfer::Object;
namespace fs = std::filesystem;

namespace {

const Object kDefinition = Object::parse(R"({"name": "scaled_rows_h48", "op_type": "scale", "axes": {
  "batch_size": {"type": "var"}, "hidden_size": {"type": "const", "value": 48}},
  "inputs": {"hidden_states": {"shape": ["batch_size", "hidden_size"], "dtype": "float32"},
             "weight": {"shape": ["hidden_size"], "dtype": "float32"}, "eps": {"shape": null, "dtype": "float32"}},
  "outputs": {"output": {"shape": ["batch_size", "hidden_size"], "dtype": "float32"}},
  "reference": "import torch\n\ndef run(hidden_states, weight, eps):\n    return hidden_states * weight + eps\n"})");

const char* const kKernel = R"(#include "kernel.h"
__global__ void scale_rows(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int rows, float eps) {
  const int row = blockIdx.x;
  if (row >= rows) return;
  for (int i = threadIdx.x; i < kHidden; i += blockDim.x) y[row * kHidden + i] = x[row * kHidden + i] * w[i] + eps;
}
void scale_rows_launch(const float* x, const float* w, float* y, int64_t batch, float eps, cudaStream_t stream) {
  scale_rows<<<dim3((unsigned)batch), dim3(64), 0, stream>>>(x, w, y, (int)batch, eps);
}
)";

Object solution(const std::string& language) {
  return {
      {"name", "by_hand_" + language},
      {"definition", "scaled_rows_h48"},
      {"author", "somebody"},
      {"spec",
       {{"language", language}, {"target_hardware", {"H200"}}, {"entry_point", "main.cpp::run"}, {"binding", "torch"}}},
      {"sources",
       {{{"path", "kernel.h"},
         {"content", "#pragma once\n#include <cstdint>\n#include <cuda_runtime.h>\nconstexpr int kHidden = 48;\n"}},
        {{"path", "kernel.cu"}, {"content", kKernel}},
        {{"path", "main.cpp"}, {"content", "#include <torch/extension.h>\n"}}}}};
}

Object workload(int batch) {
  return {{"definition", "scaled_rows_h48"},
          {"solution", nullptr},
          {"evaluation", nullptr},
          {"workload",
           {{"uuid", "u" + std::to_string(batch)},
            {"axes", {{"batch_size", batch}}},
            {"inputs",
             {{"hidden_states", {{"type", "random"}}},
              {"weight", {{"type", "random"}}},
              {"eps", {{"type", "scalar"}, {"value", 0.25}}}}}}}};
}

struct Project {
  Scratch scratch;
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories(fs::path(scratch.path(name)).parent_path());
    scratch.write(name, text);
  }
  void put_dataset() const {
    put("set/definitions/scale/scaled_rows_h48.json", kDefinition.dump(2));
    put("set/solutions/scale/by_hand.json", solution("cuda").dump(2));
    put("set/solutions/scale/other.json", solution("triton").dump(2));
    put("set/workloads/scale/scaled_rows_h48.jsonl", workload(33).dump() + "\n");
  }
  Finished harness(std::vector<std::string> words) const {
    words.insert(words.begin(), HARNESS_BINARY);
    words.insert(words.end(), {"--kernels", scratch.path("mine"), "--db", scratch.db()});
    return run_program(words, scratch.path(""));
  }
  std::string text(const std::string& name) const {
    std::ifstream file(scratch.path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a definition with its workloads and CUDA solution becomes a kernel, and a data set again") {
  const Project project;
  project.put_dataset();
  fs::create_directories(project.scratch.path("mine"));
  const Finished adopted = project.harness({"adopt", "--from-flashinfer", "set"});
  INFO(adopted.out << adopted.err);
  REQUIRE(adopted.status == 0);
  CHECK_THAT(adopted.out, Catch::Contains("reference: its own source in double"));
  const std::string manifest = project.text("mine/scaled_rows_h48/kernel.lua");
  INFO(manifest);
  CHECK_THAT(manifest, Catch::Contains("shape = { \"batch_size\", 48 }") &&
                           Catch::Contains("{ name = \"batch_size33\", batch_size = 33") &&
                           Catch::Contains("value = 0.25") && Catch::Contains("'hidden_states' of the definition"));
  const Finished written =
      project.harness({"export", "--flashinfer", "out", "--emulated", "--kernel", "scaled_rows_h48"});
  INFO(written.err);
  REQUIRE(written.status == 0);
  const flashinfer::Dataset again = flashinfer::read_dataset(project.scratch.path("out"));
  REQUIRE(again.definitions.size() == 1);
  CHECK(again.definitions[0].text == kDefinition);
  CHECK(again.workloads.at("scaled_rows_h48").size() == 1);
  REQUIRE(again.solutions.size() == 1);
  REQUIRE(again.traces.size() == 1);
  CHECK(again.traces[0]["evaluation"]["status"] == "PASSED");
  CHECK(again.traces[0]["solution"] == again.solutions[0].name);
  CHECK(again.traces[0]["evaluation"]["environment"]["hardware"].get<std::string>().starts_with("EMULATION_"));
  // The solution that was written is read like any other file: the same shapes, from the host function's launch.
  project.put("solution/kernel.cu", again.solutions[0].sources[0].second);
  adopt::AdoptOptions options;
  options.file = project.scratch.path("solution/kernel.cu");
  options.reference = "self";
  INFO(again.solutions[0].sources[0].second);
  CHECK(pointers_of(tests::adopted(options)) ==
        "x: input f32 [rows, 48]\nw: input f32 [48]\ny: output f32 [rows, 48]\n");
}

TEST_CASE("what a data set lacks is one sentence, and nothing is written") {
  const Project project;
  fs::create_directories(project.scratch.path("empty"));
  const auto adopt = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"adopt", "--from-flashinfer", "set"};
    words.insert(words.end(), more.begin(), more.end());
    const Finished done = project.harness(words);
    CHECK(done.status == 2);
    CHECK_FALSE(fs::exists(project.scratch.path("mine")));
    return done.err;
  };
  CHECK_THAT(adopt({}), Catch::Contains("neither a folder definitions/"));
  project.put_dataset();
  CHECK_THAT(adopt({"scaled_rows"}), Catch::Contains("no definition 'scaled_rows'"));
  CHECK_THAT(adopt({"--solution", "by_hand_triton"}), Catch::Contains("is written in triton"));
  project.put("set/definitions/scale/other.json", "{\"name\": 3}");
  CHECK_THAT(adopt({}), Catch::Contains("other.json: it is no FlashInfer-Bench file"));
}

TEST_CASE("sources stay inside of their solution, and axes are defined") {
  const Project project;
  Object away = solution("cuda");
  away["sources"][0]["path"] = "../../kernel.h";
  project.put("one/definition.json", kDefinition.dump());
  project.put("one/solution.json", away.dump());
  const auto read = [&] { flashinfer::read_dataset(project.scratch.path("one")); };
  CHECK_THAT(refusal(read), Catch::Contains("lies outside of its solution"));
  Object broken = kDefinition;
  broken["inputs"]["weight"]["shape"] = {"width"};
  project.put("one/definition.json", broken.dump());
  CHECK_THAT(refusal(read), Catch::Contains("axis 'width', which is not defined"));
}

TEST_CASE("launch arithmetic becomes C++ of the host") {
  const auto text = [](const char* formula) { return flashinfer::host_source(json::parse(formula)); };
  CHECK(text(R"({"cdiv": [{"size": "N"}, 128]})") == "((N + 128 - 1) / 128)");
  CHECK(text(R"({"min": [{"size": "N"}, 8, 4]})") == "((N < 8 ? N : 8) < 4 ? (N < 8 ? N : 8) : 4)");
  CHECK(text(R"({"select": [{"le": [{"size": "N"}, 4]}, 1, 2]})") == "((N <= 4) ? 1 : 2)");
  CHECK(text(R"({"//": [{"size": "N"}, 2]})") == "(N / 2)");
  CHECK(text(R"({"//": [{"-": [{"size": "N"}, 3]}, 2]})") ==
        "((N - 3) / 2 - ((N - 3) % 2 != 0 && ((N - 3) < 0) != (2 < 0)))");
  CHECK_THAT(refusal([&] { text(R"({"device": "multiprocessors"})"); }), Catch::Contains("device's limits"));
}

TEST_CASE("a solution has a host function that launches as the plan says") {
  FormulaPlan plan;
  plan.arguments = {{.name = "x", .kind = ArgumentKind::input, .shape = {{{"size", "N"}}}},
                    {.name = "a", .kind = ArgumentKind::scalar},
                    {.name = "y", .kind = ArgumentKind::output, .shape = {{{"size", "N"}}}}};
  FormulaLaunch launch{
      .entry = "scale<float>", .grid = {json{{"cdiv", {{{"size", "N"}}, 64}}}, 1, 1}, .block = {64, 1, 1}};
  launch.args = {FormulaPointer{"x"}, FormulaPointer{"y"}, FormulaPointer{"a"},
                 FormulaScalar{Dtype::s32, {{"size", "N"}}}};
  plan.steps = {launch};
  plan.build.source = "template <typename T> __global__ void scale(const T*, T*, float, int) {}\n";
  plan.constants = {{"table", plan.arguments.front().name, 36}};  // a parameter of the function may have its name
  const std::string text = flashinfer::cuda_solution_source(plan, "");
  CHECK_THAT(text, Catch::Contains("cudaMemcpyToSymbolAsync(::table, " + plan.arguments.front().name +
                                   ".data_ptr(), 36, 0, cudaMemcpyDeviceToDevice, stream);"));
  CHECK_THAT(text, Catch::Contains("void run(torch::Tensor x, double a, torch::Tensor y)") &&
                       Catch::Contains("const int64_t N = x.size(0);") &&
                       Catch::Contains("scale<float><<<grid, block, 0, stream>>>(Address{x.data_ptr()}, "
                                       "Address{y.data_ptr()}, static_cast<float>(a), static_cast<int>(N));"));
  std::get<FormulaLaunch>(plan.steps[0]).cluster = {2, 1, 1};
  CHECK_THAT(refusal([&] { flashinfer::cuda_solution_source(plan, ""); }), Catch::Contains("in clusters"));
}
