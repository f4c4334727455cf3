#include <catch2/catch.hpp>

#include "tests/adopt/fixture.h"
#include "tests/support/turns.h"

// What is true of the ordinary files of examples/, and what adopt finds out by running them.
using namespace harness;
using namespace harness::tests;

namespace {

struct Ordinary {
  std::string file, pointers, grid, entry;
};

std::string grid_of(const adopt::Adopted& adopted) {
  std::string text;
  for (const adopt::FormulaPtr& each : adopted.kernel.launch.grid)
    text += (text.empty() ? "" : ", ") + adopt::as_lua(*each, [](const std::string& symbol) { return symbol; });
  return text;
}

}  // namespace

TEST_CASE("each ordinary file is understood: roles, shapes, launch, entry") {
  const std::vector<Ordinary> files{
      {"row_softmax.cu", "x: input f32 [rows, cols]\ny: output f32 [rows, cols]\n", "rows", "row_softmax"},
      {"layernorm.cu",
       "out: output f32 [N, C]\nmean: output f32 [N]\nrstd: output f32 [N]\ninp: input f32 [N, C]\n"
       "weight: input f32 [C]\nbias: input f32 [C]\n",
       "cdiv(N * 32, p.block_size)", "layernorm_forward_kernel"},
      {"transpose.cu", "odata: output f32 [width, height]\nidata: input f32 [height, width]\n",
       "cdiv(width, 32), cdiv(height, 32), 1", "transpose"},
      {"dot_product.cu", "a: input f32 [n]\nb: input f32 [n]\nresult: inout f32 [1]\n", "64", "dot<256>"},
      {"histogram.cu", "bins: inout u32 [256]\ndata: input u8 [count]\n", "cdiv(count, 4096)", "histogram256"},
      {"scan.cu", "in: input f32 [rows, cols]\nout: output f32 [rows, cols]\n", "rows", "scan_rows"},
      {"gemm.cu", "A: input f32 [M, K]\nB: input f32 [K, N]\nC: inout f32 [M, N]\n", "cdiv(M, 16), cdiv(N, 16)",
       "sgemm_shared_mem_block<16>"},
      {"adam_torch.cu",
       "param: inout f32 [n]\ngrad: input f32 [n]\nexp_avg: inout f32 [n]\nexp_avg_sq: inout f32 [n]\n", "cdiv(n, 256)",
       "adam_kernel<$dtype>"},
      {"rmsnorm_torch.cu",
       "out: output f16 [num_tokens, hidden_size]\ninput: input f16 [num_tokens, hidden_size]\n"
       "weight: input f16 [hidden_size]\n",
       "num_tokens", "vision::rms_norm_kernel<$dtype,128>"},
      {"convolution.cu",
       "in: input f32 [height, width]\nout: output f32 [height, width]\nmask: input f32 [5, 5]\ngain: input f32 [1]\n",
       "cdiv(width, 16), cdiv(height, 16)", "convolve"},
      {"swiglu_torch.cu", "out: output f32 [num_tokens, d]\ninput: input f32 [num_tokens, 2, d]\n", "num_tokens",
       "silu_and_mul_kernel<$dtype>"}};
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!tests::in_slice(i, 3)) continue;
    const Ordinary& each = files[i];
    INFO(each.file);
    adopt::AdoptOptions options;
    options.file = ordinary(each.file);
    options.reference = "self";  // which reference is chosen has a test of its own
    options.yes = true;
    if (each.file == "gemm.cu") options.settings = {"alpha=0.5", "beta=2"};  // which no caller says
    const adopt::Adopted found = adopted(options);
    CHECK(pointers_of(found) == each.pointers);
    CHECK(grid_of(found) == each.grid);
    CHECK(found.kernel.entry_for("$dtype", {}) == each.entry);
    CHECK(found.files.size() == 4);
  }
}

TEST_CASE("a product of tiles is seen to need whole tiles") {
  if (tests::is_nightly()) return;
  adopt::AdoptOptions options;
  options.file = ordinary("gemm.cu");
  options.reference = "self";
  const adopt::Adopted found = adopted(options);
  for (const adopt::AdoptedSize& size : found.kernel.sizes) CHECK(size.step == 16);
}

TEST_CASE("the kernel's own source in double is a reference where a function of the host agrees") {
  adopt::AdoptOptions options;
  options.file = ordinary("row_softmax.cu");
  const adopt::Adopted found = adopted(options);
  CHECK(found.reference.wide);
  CHECK(found.reference.weak.empty());
  CHECK_THAT(found.reference.words, Catch::Contains("softmax_cpu"));
  const std::string& manifest = found.files[0].second;
  CHECK_THAT(manifest, Catch::Contains("numbers = \"wide\"") && Catch::Contains("-- only read"));
}

TEST_CASE("types of a dispatch become workloads, but for double where the kernel computes in float") {
  adopt::AdoptOptions options;
  options.file = ordinary("adam_torch.cu");
  options.reference = "self";
  const adopt::Adopted found = adopted(options);
  CHECK(found.kernel.dtypes == std::vector<Dtype>{Dtype::f32, Dtype::f16, Dtype::bf16});
  CHECK(found.reference.weak.starts_with("self-referenced"));
  // Second moments are not negative, and parameters are as small as what a step changes.
  CHECK_THAT(found.files[0].second, Catch::Contains("\"exp_avg_sq\", dtype = \"f32\", shape = { \"n\" }, align = 256, "
                                                    "gen = uniform { lo = 0, hi = 1 }") &&
                                        Catch::Contains("drawn small"));
}
