#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/device/cpu/fixture.h"
#include "tests/device/instructions.h"

namespace harness::test {
namespace {

const Artifact& instructions_artifact() {
  static const Artifact built = build_with_headers(kInstructionSource, instruction_entries());
  return built;
}

const char* const kMistakesSource = R"(
#include <harness/cp_async.cuh>
#include <harness/ldmatrix.cuh>
// One word a thread; the block says what it found in its shared memory.
__global__ void without_wait(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[32];
  tile[threadIdx.x] = 7;
  harness::cp_async<4>(tile + threadIdx.x, in + threadIdx.x);
  harness::cp_async_commit();
  harness::cp_async_wait<1>();
  out[32 * blockIdx.x + threadIdx.x] = tile[threadIdx.x];
}
// Refills its only stage before it has read it.
__global__ void too_early(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[32];
  harness::cp_async<4>(tile + threadIdx.x, in + threadIdx.x);
  harness::cp_async_commit();
  harness::cp_async_wait<0>();
  harness::cp_async<4>(tile + threadIdx.x, in + 32 + threadIdx.x);
  out[32 * blockIdx.x + threadIdx.x] = tile[threadIdx.x];
  harness::cp_async_wait_all();
}
__global__ void crooked_row(const unsigned*, unsigned* out) {
  __shared__ __align__(16) unsigned tile[160];
  unsigned r[1];
  harness::ldmatrix_x1(r, tile + 4 * threadIdx.x + (threadIdx.x == 5));
  out[0] = r[0];
}
__global__ void beyond_the_end(const unsigned* in, unsigned*) {
  __shared__ __align__(16) unsigned tile[128];
  harness::cp_async<16>(tile + 4 * threadIdx.x, in + 4 * threadIdx.x);
  harness::cp_async_wait_all();
}
)";

const Artifact& mistakes_artifact() {
  static const Artifact built =
      build_with_headers(kMistakesSource, {"without_wait", "too_early", "crooked_row", "beyond_the_end"});
  return built;
}

/// The words 100, 101, ... as input.
Bench& with_words(Bench& bench, std::size_t out) {
  std::vector<std::uint32_t> in(64);
  for (std::uint32_t i = 0; i < 64; ++i) in[i] = 100 + i;
  return bench.buffer("in", in).buffer("out", std::vector<std::uint32_t>(out));
}

}  // namespace

TEST_CASE("each warp instruction gives the bits that the PTX ISA names") {
  for (const InstructionCase& test : instruction_cases()) {
    INFO(test.entry);
    Bench bench(instructions_artifact());
    bench.buffer("in", test.in).buffer("out", std::vector<std::uint32_t>(test.expected.size()));
    bench.run(test.entry, {}, {32}, {named("in"), named("out")});
    CHECK(difference(bench.read<std::uint32_t>("out"), test.expected) == "");
  }
}

TEST_CASE("exponentials are as near as their headers state") {
  const auto powers = [](const char* entry) {
    Bench bench(instructions_artifact());
    bench.buffer("in", exp2_arguments()).buffer("out", std::vector<std::uint32_t>(32));
    bench.run(entry, {}, {32}, {named("in"), named("out")});
    return bench.read<std::uint32_t>("out");
  };
  CHECK(are_powers_of_two(powers("exp2_of"), kExp2Error));
  CHECK(are_powers_of_two(powers("exp2_polynomial_of"), kExp2PolynomialError));
}

TEST_CASE("a wait that is missing shows in every second block, and in the others on the next launch") {
  Bench bench(mistakes_artifact());
  with_words(bench, 64).run("without_wait", {2}, {32}, {named("in"), named("out")});
  const auto first = bench.read<std::uint32_t>("out");
  CHECK(std::min(first[0], first[32]) == 7);
  CHECK(std::max(first[0], first[32]) == 100);
  bench.run("without_wait", {2}, {32}, {named("in"), named("out")});
  const auto second = bench.read<std::uint32_t>("out");
  CHECK(second[0] == first[32]);
  CHECK(second[32] == first[0]);
}

TEST_CASE("a stage that is refilled before it is read shows in every second block") {
  Bench bench(mistakes_artifact());
  with_words(bench, 64).run("too_early", {2}, {32}, {named("in"), named("out")});
  const auto out = bench.read<std::uint32_t>("out");
  CHECK(std::min(out[1], out[33]) == 101);
  CHECK(std::max(out[1], out[33]) == 133);
}

TEST_CASE("a row of ldmatrix that is not aligned is a fault of the thread that named it") {
  Bench bench(mistakes_artifact());
  const std::string fault = fault_of([&] {
    with_words(bench, 1).run("crooked_row", {}, {32}, {named("in"), named("out")});
  });
  INFO(fault);
  CHECK(fault.find("illegal_access: kernel.cu:26: block (0,0,0), thread (5,0,0): ldmatrix needs a row") == 0);
}

TEST_CASE("the memory checker sees what matrix loads and asynchronous copies touch") {
  Bench bench(build_with_headers(kMistakesSource, {"beyond_the_end"}, true));
  fault_of([&] { with_words(bench, 1).run("beyond_the_end", {}, {32}, {named("in"), named("out")}); });
  const auto findings = session().take_findings();
  REQUIRE(findings);
  const auto beyond = std::find_if(findings->begin(), findings->end(),
                                   [](const RawFinding& finding) { return finding.kind == "out_of_bounds"; });
  REQUIRE(beyond != findings->end());
  CHECK_THAT(beyond->text, Catch::Contains("thread (16,0,0) of block (0,0,0) read 16 bytes"));
}

}  // namespace harness::test
