#include "tests/support/mutations.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/support/program.h"
#include "tests/support/turns.h"

// A few of the mutations that bench/mutation_bench.cpp tries by the hundred.
using namespace harness;
using namespace harness::tests;

namespace {

const std::filesystem::path kShippedKernels = std::filesystem::path(HARNESS_SOURCE_DIR) / "kernels";

constexpr const char* kSpoilable = R"(#include <harness/warp.cuh>
// x[i] = 1; __syncthreads(); in a comment
__global__ void k(const float* x, float* y, int n) {
  __shared__ float tile[32];
  for (int i = threadIdx.x; i < n; i += 32) tile[i] = x[i] - y[i];
  __syncthreads();
  float sum = tile[0];
  if (threadIdx.x >= n) return;
  y[threadIdx.x] = sum / n;
}
)";

std::set<std::string> kinds_of(const std::vector<Mutation>& all) {
  std::set<std::string> kinds;
  for (const Mutation& mutation : all) kinds.insert(mutation.kind);
  return kinds;
}

}  // namespace

TEST_CASE("a source has mutations of every kind, none in comments, and each changes it") {
  const std::vector<Mutation> all = mutations_of(kSpoilable);
  CHECK(kinds_of(all) == std::set<std::string>{"dropped barrier", "dropped statement", "lost tail", "narrowed type",
                                               "other constant", "shifted index", "swapped operands"});
  for (const Mutation& mutation : all) {
    CHECK(mutation.at > std::string(kSpoilable).find("__global__"));
    CHECK(mutated(kSpoilable, mutation) != kSpoilable);
  }
}

TEST_CASE("a seed names a mutation, and many seeds name many") {
  const std::vector<Mutation> all = mutations_of(kSpoilable);
  std::set<std::string> texts;
  for (std::uint64_t i = 0; i < 50; ++i) {
    const std::string text = mutated(kSpoilable, choose_mutation(all, 7, i));
    CHECK(text == mutated(kSpoilable, choose_mutation(all, 7, i)));
    texts.insert(text);
  }
  CHECK(texts.size() > 15);
}

TEST_CASE("a wrong path stands behind a comparison on a value, a place or a size, or behind two") {
  std::set<std::string> kinds, texts;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const auto mutation = conditional_mutation(kSpoilable, 7, i);
    REQUIRE(mutation);
    kinds.insert(mutation->kind);
    texts.insert(mutated(kSpoilable, *mutation));
    CHECK(mutation->after.find("float v") != std::string::npos);
  }
  CHECK(texts.size() > 40);
  for (const char* kind : {"condition on a value", "condition on a place", "condition on a size"})
    CHECK(kinds.contains(kind));
  CHECK(kinds.size() > 5);
  CHECK_FALSE(conditional_mutation("__global__ void k() {}", 7, 0));
}

TEST_CASE("a loop on one line is spoilt in what it adds, not in what it counts") {
  const std::string source =
      "__global__ void k(const float* x, float* y, int n) {\n  float s = 0;\n"
      "  for (int i = threadIdx.x; i < n; i += blockDim.x * 2) s += expf(x[i]);\n  y[0] = s;\n}\n";
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto mutation = conditional_mutation(source, 7, i);
    REQUIRE(mutation);
    CHECK(mutation->after.starts_with("s += [&](float v)"));
    CHECK(mutation->after.ends_with("}(expf(x[i]));"));
  }
}

TEST_CASE("every shipped kernel that the cpu device times has mutations of most kinds") {
  for (const char* kernel : {"vector_scale", "softmax", "rmsnorm_int8", "paged_gather", "attention"}) {
    const Scratch scratch;
    const auto mutants = write_mutants(kShippedKernels / kernel, scratch.path(""), kernel, 3, 40);
    CHECK(mutants.size() == 40);
    std::set<std::string> kinds;
    for (const Mutant& mutant : mutants) kinds.insert(mutant.kind);
    CHECK(kinds.size() >= 5);
  }
}

TEST_CASE("mutants of softmax are refused, but for the one that does the same") {
  const Scratch scratch;
  const std::string name = "spoilt_softmax";
  const auto mutants = write_mutants(kShippedKernels / "softmax", scratch.path("kernels"), name, 11, 6, "20_online");
  REQUIRE(mutants.size() == 6);
  std::size_t turn = 0;
  for (const Mutant& mutant : mutants) {
    if (!tests::in_slice(turn++, 4)) continue;
    // A block of one warp has one place for its result, whichever number divides the first thread's.
    const bool harmless = mutant.words == "other constant at line 53: `32` became `16`";
    const Finished finished =
        run_harness({"eval", name, mutant.variant, "--device", "cpu", "--emulated", "--workload", "m33n257_f32", "--db",
                     scratch.path("store.db"), "--json", "--kernels", scratch.path("kernels")});
    INFO(mutant.words << "\n" << finished.out << finished.err);
    REQUIRE(finished.lines().size() == 1);
    CHECK((finished.lines()[0]["outcome"] == "passed") == harmless);
  }
}
