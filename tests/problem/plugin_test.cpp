#include "harness/problem/plugin.h"

#include <catch2/catch.hpp>

#include "harness/core/torch_call.h"

namespace harness {
namespace {

json example() {
  return json::parse(R"x({
    "summary": "y = x\n\"quoted\"", "policy": ["computed in double"], "notes": [], "where": ["le(w.M, w.N)"],
    "sizes": [{"name": "M", "low": 1, "high": 64, "step": 1}, {"name": "N", "low": 4, "high": 128, "step": 4}],
    "workloads": [{"M": 64, "N": 128}], "small": {"M": 2, "N": 128}, "terms": "w.N",
    "arguments": [
      {"kind": "input", "name": "x", "dtype": "bf16", "shape": ["w.M", "w.N // 2"], "gen": "normal {}", "why": ""},
      {"kind": "input", "name": "lengths", "dtype": "s32", "shape": ["w.M"], "gen": "ragged { lo = 1, hi = 4 }",
       "why": "", "beside": true},
      {"kind": "output", "name": "y", "dtype": "bf16", "shape": ["w.M", "3"], "gen": "", "why": ""}],
    "scalars": [{"name": "eps", "dtype": "f32", "value": 1e-6, "why": "asked"}],
    "bytes": "w.M * 4", "elements": "w.M * 3", "reference": "pass\n"})x");
}

std::string file(const std::string& path) {
  return problem::plugin_files("p", "there.py", example()).at(path);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a contract is written from what was observed") {
  const std::string text = file("kernel.lua");
  CHECK(has(text, "summary   = \"y = x \\\"quoted\\\"\""));
  CHECK(has(text, "M = range(1, 64)"));
  CHECK(has(text, "N = multiples_of(4, 4, 128)"));
  CHECK(has(text, "where = function(w) return le(w.M, w.N) end"));
  CHECK(has(text, "shape = { \"M\", function(w) return w.N // 2 end }"));
  CHECK(has(text, "accuracy = { sum = \"N\" }"));
  CHECK(has(text, "name = \"M64_N128\", M = 64, N = 128, sets = { \"default\" }, devices = { \"cuda\" }"));
  CHECK(has(text, "name = \"small_M2_N128\", M = 2, N = 128, sets = { \"default\" }, devices = { \"cpu\" }"));
}

TEST_CASE("the skeleton of a naive kernel has the signature and the indices, and does not compile") {
  const std::string source = file("variants/00_naive.cu"), launch = file("variants/00_naive.lua");
  CHECK(has(source, kNoKernel));
  CHECK(
      has(source, "__global__ void p(const __nv_bfloat16* x, __nv_bfloat16* y, float eps, long long M, long long N)"));
  CHECK(has(source, "const long long i0 = i / (3);\n  const long long i1 = i % 3;"));
  CHECK(has(launch, "args = { \"x\", \"y\", \"eps\", i64(w.M), i64(w.N) }"));
  CHECK(has(launch, "grid = { cdiv(w.M * 3, p.BLOCK) }"));
}

}  // namespace harness
