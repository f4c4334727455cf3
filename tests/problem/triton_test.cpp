#include "harness/problem/triton.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/system/files.h"
#include "harness/system/temporary_folder.h"
#include "tests/problem/pytorch.h"
#include "tests/support/turns.h"

namespace harness {
namespace {

using problem::TritonAnswers;

const std::string kExamples = HARNESS_SOURCE_DIR "/examples/triton/";

std::string manifest_of(const std::string& file, const TritonAnswers& answers = {}) {
  return problem::observe_triton(file, answers).manifest;
}

bool holds(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return text.find(part) != std::string::npos;
}

/// A file with a kernel, a reference and this function of the host.
std::string with_host(const std::string& host, const std::string& decorators = "") {
  return "import torch\nimport triton\nimport triton.language as tl\n\n" + decorators +
         "@triton.jit\ndef twice(x_ptr, y_ptr, n, B: tl.constexpr):\n    at = tl.program_id(0) * B + tl.arange(0, B)\n"
         "    tl.store(y_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)\n\n" +
         host + "\ndef inputs(n = 64):\n    return [torch.randn(n)]\n\ndef reference(x):\n    return 2 * x\n";
}

/// What it is refused with; "" where it is taken.
std::string refused(const std::string& text, const TritonAnswers& answers = {}) {
  const TemporaryFolder folder("triton");
  write_file(folder.path("file.py"), text);
  try {
    manifest_of(folder.path("file.py"), answers);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("the launch of a Triton file becomes a variant: sizes, strides, constexprs, the list of autotune",
          "[pytorch]") {
  if (!has_pytorch() || tests::is_nightly()) return;
  const std::string softmax = manifest_of(kExamples + "softmax.py");
  holds(softmax, "entry = \"softmax_kernel<BLOCK_SIZE=$BLOCK_SIZE,num_warps=$num_warps>\", grid = { w.rows }");
  holds(softmax, "args = { \"out\", \"x\", i32(w.columns), i32(w.columns), i32(w.columns) }");
  holds(softmax, "le(w.columns, p.BLOCK_SIZE), lt(p.BLOCK_SIZE, 2 * max(w.columns, 1))");
  const std::string matmul = manifest_of(kExamples + "matmul.py");
  holds(matmul, "grid = { cdiv(w.m, p.BLOCK_M) * cdiv(w.n, p.BLOCK_N) }");
  holds(matmul, "BLOCK_N = { values = { 64, 128, 256 }, bind = \"template\" }");
  holds(matmul, "{ BLOCK_M = 128, BLOCK_N = 256, BLOCK_K = 64, GROUP = 8, num_stages = 3, num_warps = 8 }");
}

TEST_CASE("two launches of one function are the steps of one plan, with what it makes between them", "[pytorch]") {
  if (!has_pytorch()) return;
  const problem::TritonProblem made = problem::observe_triton(kExamples + "split_softmax.py", {});
  CHECK(made.launches.size() == 2);
  holds(made.manifest, "workspace { \"scratch1\", bytes = (w.rows * cdiv(w.width, 4096)) * 4");
  holds(made.manifest, "args = { \"x\", { \"scratch1\", as = \"f32\" }, { \"scratch2\", as = \"f32\" }, \"out\"");
  CHECK(std::ranges::find(made.notes, "part_kernel: most_ptr is written") != made.notes.end());
  CHECK(problem::triton_files("split", "split_softmax.py", made).contains("variants/10_triton.py"));
}

TEST_CASE("what a Triton file does not say is asked for with the option that answers it", "[pytorch]") {
  if (!has_pytorch() || tests::is_nightly()) return;
  const std::string host =
      "def run(x):\n    y = torch.empty_like(x)\n    twice[(torch.cuda.device_count(),)](x, y, x.numel(), B=width())\n"
      "    return y\n";
  const std::string said = refused(with_host(host));
  holds(said, "'twice' cannot be adopted without 2 answers");
  holds(said, "the constexpr 'B': the source does not say what 'width()' is (give --tune B=VALUES)");
  holds(said, "(give --grid \"EXPR\")");
  TritonAnswers answers;
  answers.tune = {"B=64,128"};
  answers.grid = "cdiv(n, B)";
  CHECK(refused(with_host(host), answers).empty());
  answers.grid = "cdiv(m, B)";
  CHECK(refused(with_host(host), answers) == "'cdiv(m, B)' has 'm'; there are: n, B");
}

TEST_CASE("a file that has no Triton kernel, or no reference, is refused before PyTorch starts") {
  CHECK(refused("x = (").ends_with("is no Python: '(' was never closed"));
  CHECK(refused("import torch\n") == "file.py has no @triton.jit or @gluon.jit function");
  holds(refused("import triton\n@triton.jit\ndef k(x):\n    pass\n"), "does not say what is right");
  CHECK_FALSE(refused("a = " + std::string(200000, '(') + "1\n").empty());
}

TEST_CASE("a Triton file that cannot be read is refused with one sentence", "[pytorch]") {
  if (!has_pytorch() || tests::is_nightly()) return;
  const std::string plain = "def run(x):\n    y = torch.empty_like(x)\n    twice[(1,)](x, y, 3, B=4)\n    return y\n";
  holds(refused(with_host("")), "launches none of its @triton.jit functions");
  holds(refused(with_host("def run(x):\n    if x.numel() > 3:\n        twice[(1,)](x, x, 3, B=4)\n    return x\n")),
        "launches 'twice' under a condition or in a loop");
  holds(refused(with_host("def run(x):\n    twice[(1,)](x, x, 3, B=4)\n    return x\n")), "is no tensor that it made");
  holds(refused(with_host(plain, "@triton.autotune(configs=made_elsewhere(), key=[])\n")), "are not written out");
  TritonAnswers other;
  other.kernel = "thrice";
  holds(refused(with_host(plain), other), "has no @triton.jit or @gluon.jit function 'thrice'; it has: twice");
}

}  // namespace harness
