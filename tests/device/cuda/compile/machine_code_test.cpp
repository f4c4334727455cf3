#include "harness/device/cuda/compile/machine_code.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "harness/device/cuda/compile/nvrtc_program.h"
#include "harness/device/cuda/compile/sass.h"
#include "tests/support/skip.h"

using namespace harness;
using namespace harness::cuda;

namespace {

constexpr const char* kSource = R"(
__device__ inline float twice(const float* x) {
  return 2 * *x;  // line 3
}
extern "C" __global__ void sums(const float* x, float* y, int n) {
  __shared__ float row[32];
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    sum += __expf(twice(x + i * 32 + threadIdx.x));  // line 10
  row[threadIdx.x] = sum;
  __syncthreads();
  y[threadIdx.x] = row[31 - threadIdx.x];
}
)";

std::string compiled(const std::string& architecture, const char* source = kSource) {
  const NvrtcOutput output = compile_with_nvrtc(*nvrtc_library().api, "sums.cu", source, {"sums"},
                                                {"--gpu-architecture=" + architecture, "-lineinfo"});
  INFO(output.log);
  REQUIRE(output.compiled);
  return output.cubin;
}

std::int64_t all(const MachineCode& code, InstructionClass kind) {
  std::int64_t sum = 0;
  for (const CodeBlock& block : code) sum += block.instructions[static_cast<std::size_t>(kind)];
  return sum;
}

bool leads_to_itself(const MachineCode& code, const CodeBlock& block) {
  return std::ranges::find(block.next, static_cast<std::size_t>(&block - code.data())) != block.next.end();
}

}  // namespace

TEST_CASE("machine code is read in blocks: a loop, its load, and the line that the load was inlined into") {
  if (!nvrtc_library().api) return harness::tests::skip(nvrtc_library().missing);
  for (const char* architecture : {"sm_90a", "sm_80", "sm_89"}) {
    INFO(architecture);
    const std::string cubin = compiled(architecture);
    const auto functions = read_machine_code(cubin);
    REQUIRE(functions.size() == 1);
    const MachineCode& code = functions.at("sums");
    CHECK(all(code, InstructionClass::memory) == 2);
    CHECK(all(code, InstructionClass::shared) == 2);
    CHECK(all(code, InstructionClass::special) == 1);  // ex2
    CHECK(all(code, InstructionClass::tensor) == 0);
    int loops = 0;
    for (const CodeBlock& block : code) {
      if (block.sites.empty() || !leads_to_itself(code, block)) continue;
      ++loops;
      CHECK(block.sites.size() == 1);
      CHECK(block.sites[0].kind == SiteKind::global);
      CHECK(block.sites[0].bytes == 4);
      CHECK_FALSE(block.sites[0].stores);
      CHECK(block.sites[0].places == std::vector<CodePlace>{{"sums.cu", 3}, {"sums.cu", 10}});
      CHECK(block.cycles > 4);
      CHECK(block.waits == 1);
    }
    CHECK(loops == 1);
    for (std::size_t length = 0; length < cubin.size(); length += 97) read_machine_code(cubin.substr(0, length));
  }
  CHECK(read_machine_code("no cubin").empty());
}

TEST_CASE("an atomic operation whose answer nobody wants is told from one that is asked, and floats from integers") {
  if (!nvrtc_library().api) return harness::tests::skip(nvrtc_library().missing);
  for (const char* architecture : {"sm_90a", "sm_80"}) {
    const auto functions = read_machine_code(compiled(architecture, R"(
extern "C" __global__ void sums(const float* x, float* y, unsigned* n) {
  atomicAdd(y, x[threadIdx.x]);
  atomicOr(n, 1u << blockIdx.x);
  const unsigned drawn = atomicAdd(n + 1 + threadIdx.x, 1u);
  y[8 + drawn] = atomicAdd(y + 1, 1.0f);
})"));
    std::map<int, std::pair<bool, bool>> found;  // by line: answered, by lane
    for (const CodeBlock& block : functions.at("sums"))
      for (const CodeSite& site : block.sites)
        if (site.kind == SiteKind::atomic) found[site.places.back().line] = {site.answered, site.by_lane};
    CHECK(found == std::map<int, std::pair<bool, bool>>{
                       {3, {false, true}}, {4, {false, false}}, {5, {true, false}}, {6, {true, true}}});
  }
}
