#include "harness/adopt/host/sequence.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/adopt/fixture.h"
#include "tests/support/turns.h"

// A function of the host that launches several kernels is one plugin of several launches.
using namespace harness;
using namespace harness::tests;

namespace {

const std::string kKernels =
    "__global__ void scan_blocks(const int* in, int* out, int* sums, int n) {\n"
    "  __shared__ int s[64];\n"
    "  int i = blockIdx.x * 64 + threadIdx.x;\n"
    "  s[threadIdx.x] = i < n ? in[i] : 0;\n"
    "  __syncthreads();\n"
    "  for (int d = 1; d < 64; d *= 2) {\n"
    "    int v = threadIdx.x >= d ? s[threadIdx.x - d] : 0;\n"
    "    __syncthreads();\n"
    "    s[threadIdx.x] += v;\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (i < n) out[i] = s[threadIdx.x];\n"
    "  if (threadIdx.x == 63) sums[blockIdx.x] = s[63];\n"
    "}\n"
    "__global__ void scan_sums(int* sums, int blocks) {\n"
    "  if (threadIdx.x == 0) for (int b = 1; b < blocks; ++b) sums[b] += sums[b - 1];\n"
    "}\n"
    "__global__ void add_sums(int* out, const int* sums, int n) {\n"
    "  int i = blockIdx.x * 64 + threadIdx.x;\n"
    "  if (i < n && blockIdx.x > 0) out[i] += sums[blockIdx.x - 1];\n"
    "}\n";

std::string function(const std::string& body) {
  return kKernels + "void scan(const int* in, int* out, int n) {\n  int *sums;\n  int blocks = (n + 63) / 64;\n" +
         "  cudaMalloc((void**)&sums, blocks * sizeof(int));\n" + body + "  cudaFree(sums);\n}\n";
}

const std::string kFirst = "  scan_blocks<<<blocks, 64>>>(in, out, sums, n);\n",
                  kSecond = "  scan_sums<<<1, 32>>>(sums, blocks);\n",
                  kThird = "  add_sums<<<blocks, 64>>>(out, sums, n);\n";

adopt::Sequence sequence(const std::string& source, const std::string& name = "scan") {
  const Scratch scratch;
  scratch.write("mine.cu", source);
  const auto found = adopt::sequence_of(adopt::read_cuda_source(scratch.path("mine.cu")), name);
  REQUIRE(found);
  return *found;
}

std::string refused(const std::string& body) {
  try {
    sequence(function(body));
    return "";
  } catch (const Error& error) {
    CHECK(error.kind() == Error::Kind::bad_input);
    return error.what();
  }
}

}  // namespace

TEST_CASE("a scan with sums of blocks: three launches, shapes, scratch") {
  const Scratch scratch;
  scratch.write("mine.cu", function(kFirst + kSecond + kThird));
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  options.entries = {"scan"};
  const adopt::Adopted found = adopted(options);
  CHECK(found.name == "scan");
  CHECK(pointers_of(found) == "in: input s32 [n]\nout: output s32 [n]\n");
  const std::string& variant = found.files.at(1).second;
  CHECK_THAT(variant,
             Catch::Contains("workspace { \"sums\", bytes = 4 * cdiv(w.n, 64), align = 256, init = \"dirty\" }"));
  for (const char* launch : {"entry = \"scan_1\"", "entry = \"scan_2\"", "entry = \"scan_3\"",
                             "grid = { 1 }, block = { 32 }", "grid = { cdiv(w.n, 64) }, block = { 64 }"})
    CHECK_THAT(variant, Catch::Contains(launch));
  const std::string& manifest = found.files.at(0).second;
  CHECK_THAT(manifest, Catch::Contains("entry = \"reference_3\"") && Catch::Contains("entry = \"scan\"") &&
                           !Catch::Contains("output { \"sums\""));
}

TEST_CASE("two passes of a softmax agree with the function of the host, in double too") {
  if (tests::is_nightly()) return;
  adopt::AdoptOptions options;
  options.file = ordinary("long_softmax.cu");
  options.entries = {"long_softmax"};
  const adopt::Adopted found = adopted(options);
  CHECK(pointers_of(found) == "x: input f32 [rows, cols]\ny: output f32 [rows, cols]\n");
  CHECK(found.reference.wide);
  CHECK(found.reference.weak.empty());
  CHECK_THAT(found.files.at(1).second,
             Catch::Contains("workspace { \"piece_max\", bytes = 4 * w.rows * cdiv(w.cols, 256)"));
  CHECK_THAT(found.files.at(0).second, Catch::Contains("\"piece_sum\", bytes = function(w) return 8 * "));
}

TEST_CASE("launches get kernels in front that compute what the function computes") {
  const adopt::Sequence found = sequence(
      kKernels +
          "int main(int argc, char** argv) {\n  int n = atoi(argv[1]), *in, *out, *sums;\n  const int threads = 64;\n"
          "  int blocks = (n + threads - 1) / threads;\n  cudaMalloc(&in, n * 4);\n  cudaMalloc(&out, n * 4);\n"
          "  cudaMalloc(&sums, n);\n  cudaMemcpy(in, host, n * 4, cudaMemcpyHostToDevice);\n"
          "  scan_blocks<<<blocks, threads>>>(in, out, sums, n);\n  scan_sums<<<1, 32>>>(sums + 1, blocks - 1);\n"
          "  cudaMemcpy(host, out, n * 4, cudaMemcpyDeviceToHost);\n}\n",
      "main");
  CHECK(found.scratch == std::set<std::string>{"sums"});
  CHECK(found.kernels == std::vector<std::string>{"main_1", "main_2"});
  CHECK_THAT(found.text, Catch::Contains("__global__ void main_2(const int* in, int* out, int* sums, int n) {\n"
                                         "  const int threads = 64;\n"
                                         "  int blocks = (n + threads - 1) / threads;\n"
                                         "  scan_sums(sums + 1, blocks - 1);\n}"));
  CHECK_THAT(found.text, Catch::Contains("main_1<<<blocks, threads>>>(in, out, sums, n);"));
}

TEST_CASE("what a plan of launches cannot say is refused with one sentence") {
  CHECK(refused(kFirst + kSecond + kThird).empty());
  CHECK_THAT(refused(kFirst + "  for (int i = 0; i < 2; ++i)\n  " + kSecond),
             Catch::Contains("mine.cu:28: scan launches scan_sums in a loop (for)"));
  CHECK(refused(kFirst + "  if (blocks > 1) {\n" + kSecond + "  }\n").empty());
  CHECK_THAT(refused(kFirst + "  scan_sums<<<1, 32, 0, other>>>(sums, blocks);\n"),
             Catch::Contains("several streams (0 and other)"));
  CHECK_THAT(refused(kFirst + "  cudaEventRecord(event);\n" + kSecond),
             Catch::Contains("uses events (cudaEventRecord)"));
  CHECK_THAT(refused(kFirst + "  cudaMemcpy(host, sums, 4, cudaMemcpyDeviceToHost);\n" + kSecond),
             Catch::Contains("copies memory between its launches"));
  CHECK_THAT(refused(kFirst + kSecond + "  scan(sums, sums, blocks);\n"), Catch::Contains("calls itself"));
  CHECK_THAT(refused(kFirst + "  cub::DeviceScan::InclusiveSum(t, b, sums, sums, blocks);\n" + kThird),
             Catch::Contains("calls DeviceScan::InclusiveSum"));
  CHECK_THAT(refused(kFirst + "  cudaMemset(sums, 0, 4);\n" + kSecond),
             Catch::Contains("sets 'sums' again between its launches"));
}

TEST_CASE("scratch that is read before it is written is refused") {
  const auto adopt_it = [](const std::string& body) {
    const Scratch scratch;
    scratch.write("mine.cu", function(body));
    adopt::AdoptOptions options;
    options.file = scratch.path("mine.cu");
    options.entries = {"scan"};
    options.reference = "self";
    return adopted(options);
  };
  const std::string bare = "  scan_sums<<<1, 32>>>(sums, blocks);\n" + kThird;
  CHECK_THROWS_WITH(adopt_it(bare), Catch::Contains("'scan' reads 'sums' before any of its launches wrote there"));
}

TEST_CASE("scratch that the function sets to zero is accepted, and cleared before every call") {
  const std::string kernels =
      "__global__ void sum_blocks(const int* in, int* sums, int n) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x;\n"
      "  if (i < n) atomicAdd(&sums[blockIdx.x], in[i]);\n"
      "}\n"
      "__global__ void spread(int* out, const int* sums, int n) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x;\n"
      "  if (i < n) out[i] = sums[blockIdx.x];\n"
      "}\n";
  const Scratch scratch;
  scratch.write("mine.cu", kernels + function("  cudaMemset(sums, 0, blocks * sizeof(int));\n"
                                              "  sum_blocks<<<blocks, 64>>>(in, sums, n);\n"
                                              "  spread<<<blocks, 64>>>(out, sums, n);\n"));
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  options.entries = {"scan"};
  const adopt::Adopted found = adopted(options);
  CHECK(pointers_of(found) == "in: input s32 [n]\nout: output s32 [n]\n");
  CHECK_THAT(found.files.at(1).second,
             Catch::Contains("workspace { \"sums\", bytes = 4 * cdiv(w.n, 64), align = 256, init = \"zeroed\" }"));
  CHECK_THAT(found.files.at(0).second, Catch::Contains("init = \"zeroed\""));
}
