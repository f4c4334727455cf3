#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/adopt/fixture.h"

// What a person answers where running cannot tell, and what is found without an answer.
using namespace harness;
using namespace harness::tests;

namespace {

std::string text_of(const std::vector<adopt::FormulaPtr>& formulas) {
  std::string text;
  for (const adopt::FormulaPtr& each : formulas)
    text += (text.empty() ? "" : ", ") + adopt::as_lua(*each, [](const std::string& symbol) { return symbol; });
  return text;
}

const std::string kPadded =
    "__global__ void pad(const float* x, float* y, int B, int D, int C, int mode) {\n"
    "  int i = blockIdx.x * 64 + threadIdx.x;\n"
    "  if (i < B * C) y[i] = mode == 3 && i % C < D ? 2 * x[i / C * D + i % C] : 0.f;\n"
    "}\n"
    "void run(const float* x, float* y, int B, int D, int C, int mode) {\n"
    "  pad<<<(B * C + 63) / 64, 64>>>(x, y, B, D, C, mode);\n"
    "}\n";

}  // namespace

TEST_CASE("--set says which number is always the same, and which follows from others") {
  adopt::AdoptOptions options;
  options.settings = {"mode=3", "C=D+5"};
  const adopt::Adopted found = adopted_source(kPadded, options);
  CHECK(pointers_of(found) == "x: input f32 [B, D]\ny: output f32 [B, D + 5]\n");
  CHECK(found.reference.wide);
  CHECK_THAT(found.files.at(0).second,
             Catch::Contains("scalar { \"mode\", dtype = \"s32\", value = 3 }") && !Catch::Contains("    C = "));
  CHECK_THAT(found.files.at(1).second, Catch::Contains("i32(w.D + 5), \"mode\""));
  for (const auto& [setting, why] : std::map<std::string, std::string>{{"E=3", "has no whole number 'E'"},
                                                                       {"C=C+1", "how 'C' follows from other sizes"},
                                                                       {"C=", "is not of the form NAME="},
                                                                       {"C=D,5", "say one number"}}) {
    options.settings = {setting};
    CHECK_THROWS_WITH(adopted_source(kPadded, options), Catch::Contains(why));
  }
}

TEST_CASE("a launch that a macro holds is found, with the names of the function that uses the macro") {
  const std::string body = "{ int i = blockIdx.x * N + threadIdx.x; if (i < n) x[i] = 2 * x[i]; }\n";
  const adopt::AdoptedKernel kernel =
      chosen_kernel("template <int N> __global__ void k(float* x, int n) " + body +
                    "#define LAUNCH(NAME, THREADS) \\\n  const int blocks = (n + THREADS - 1) / THREADS; \\\n"
                    "  NAME##k<THREADS><<<blocks, THREADS>>>(x, n)\n#define EACH(T) LAUNCH(, T)\n"
                    "void run(float* x, int n) { EACH(64); }\n");
  CHECK(text_of(kernel.launch.grid) == "cdiv(n, 64)");
  CHECK(text_of(kernel.launch.block) == "64");
  CHECK(kernel.entry_for("float", {}) == "k<64>");
}

TEST_CASE("a half by value is a number") {
  const adopt::AdoptedKernel kernel = chosen_kernel(
      "#include <cuda_fp16.h>\n__global__ void k(half* x, const half a, int n) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x; if (i < n) x[i] = x[i] * a; }\n"
      "void run(half* x, half a, int n) { k<<<(n + 63) / 64, 64>>>(x, a, n); }\n");
  REQUIRE(kernel.parameters.size() == 3);
  CHECK(kernel.parameters[1].kind == adopt::Param::real);
  CHECK(kernel.parameters[1].dtype == Dtype::f16);
}

TEST_CASE("what does not compile is one sentence with the compiler's line") {
  const std::string source =
      "// a comment\n__global__ void k(float* x, int n) {\n  int i = blockIdx.x * 64 + threadIdx.x;\n"
      "  if (i < n) x[i] = 2 * x[i]\n}\nvoid run(float* x, int n) { k<<<(n + 63) / 64, 64>>>(x, n); }\n";
  try {
    adopted_source(source);
    FAIL("it was adopted");
  } catch (const Error& error) {
    const std::string why = error.what();
    CHECK_THAT(why, Catch::Contains("does not compile on the cpu device: expected ';'") &&
                        Catch::Contains("(mine.cu:4: if (i < n) x[i] = 2 * x[i])"));
    CHECK(why.find('\n') == std::string::npos);
  }
  CHECK_THROWS_WITH(chosen_kernel("__global__ void k(float* x, int n) {\n  if (n > 0) { x[0] = 1;\n}\n"
                                  "void run(float* x, int n) { k<<<1, 64>>>(x, n); }\n"),
                    Catch::Contains("mine.cu:4: expected '}'") && Catch::Contains("mend the file"));
}

TEST_CASE("a number or an enumerator that nobody says is asked for, and a name that says it is told") {
  const std::string source =
      "enum Mode { kAdd, kMul };\n"
      "__global__ void mix(const float* x, float* y, int n, Mode mode, float scale, float gain, float eps) {\n"
      "  const int i = blockIdx.x * 128 + threadIdx.x;\n"
      "  if (i < n) y[i] = mode == kAdd ? x[i] + scale : x[i] * gain + eps;\n}\n"
      "void run(const float* x, float* y, int n, Mode m, float s, float g = 3.0f, float eps = 0) {\n"
      "  mix<<<(n + 127) / 128, 128>>>(x, y, n, m, s, g, eps);\n}\n";
  const adopt::Adopted asked = self_referenced(source);
  REQUIRE(asked.seen.questions.size() == 2);
  CHECK(asked.seen.questions[0].why == "'mode' is one of kAdd (0), kMul (1), and nobody says which");
  CHECK(asked.seen.questions[1].option == "--set scale=VALUE");
  adopt::AdoptOptions options;
  options.settings = {"mode=1", "scale=0.25"};
  const adopt::Adopted answered = self_referenced(source, options);
  CHECK(answered.seen.questions.empty());
  CHECK_THAT(answered.files.at(0).second, Catch::Contains("\"scale\", dtype = \"f32\", value = 0.25") &&
                                              Catch::Contains("\"gain\", dtype = \"f32\", value = 3") &&
                                              Catch::Contains("\"eps\", dtype = \"f32\", value = 0 "));
}
