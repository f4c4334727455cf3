#include "harness/device/cpu/compile/compiler.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/device/cpu/compile/flags.h"
#include "harness/device/cpu/probe.h"
#include "harness/system/files.h"
#include "tests/device/cpu/fixture.h"
#include "tests/support/program.h"

namespace harness::test {
namespace {

std::string failure_log(const BuildSpec& spec) {
  const BuildResult result = build(spec);
  const auto* failure = std::get_if<CompileFailure>(&result);
  return failure ? failure->log : "";
}

}  // namespace

TEST_CASE("a build tells each entry's parameter sizes and static shared memory") {
  const Artifact artifact = build_artifact(
      "#include <cuda_fp16.h>\nstruct S { int a; double b; };\n"
      "template <int N> __global__ void k(const S s, char c, const float* p) { __shared__ float tile[N]; __shared__ "
      "half h[N]; tile[0] = c; h[1] = half(c); }\n"
      "__global__ void none() {}\n",
      {"k<8>", "k<100>", "none"});
  REQUIRE(artifact.entries.size() == 3);
  CHECK(artifact.entries[0].parameter_bytes == std::vector<std::int64_t>{16, 1, 8});
  CHECK(artifact.entries[2].parameter_bytes.empty());
  CHECK(artifact.entries[1].static_shared_bytes == 600);
  CHECK(artifact.entries[2].static_shared_bytes == 0);
  CHECK(artifact.architecture == "x86-64");
  CHECK_THAT(artifact.compiler, Catch::StartsWith("g++ "));
  CHECK_FALSE(artifact.from_cache);
  CHECK(artifact.compile_s > 0);
}

TEST_CASE("__forceinline__ functions that call each other stay functions, as with NVCC") {
  const Artifact artifact = build_artifact(
      "__device__ __forceinline__ int odd(int n);\n"
      "__device__ __forceinline__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }\n"
      "__device__ __forceinline__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }\n"
      "__global__ void k(int* p) { p[0] = even(p[1]); }\n",
      {"k"});
  CHECK(artifact.entries.size() == 1);
}

TEST_CASE("an error is shown at the kernel's own file and line") {
  BuildSpec spec = spec_of("\n__global__ void k(int* p) {\n  p[0] = nothing;\n}\n", {"k"});
  spec.source_name = "kernels/demo/variants/10 odd.cu";
  const std::string log = failure_log(spec);
  CHECK_THAT(log, Catch::Contains("kernels/demo/variants/10 odd.cu:3:10: error: 'nothing' was not declared"));
  CHECK(log.find(cache_folder()) == std::string::npos);
}

TEST_CASE("an entry that the source does not have is a compile error that says so") {
  const std::string source = "template <typename T> __global__ void softmax(T* p) {}\n";
  CHECK_THAT(failure_log(spec_of(source, {"softmax<float>", "softmaxx<float>"})),
             Catch::StartsWith("kernel.cu: error: the source has no kernel 'softmaxx<float>'"));
  CHECK_THAT(failure_log(spec_of(source, {"softmax<float,4>"})),
             Catch::StartsWith("kernel.cu: error: the source has no kernel 'softmax<float,4>'"));
}

TEST_CASE("the cause of an error comes before what follows from it, and each error once") {
  const std::string many = failure_log(spec_of(
      "template <int N> __global__ void k(int* p) {\n  p[N] = nothing + int{missing};\n}\n", {"k<1>", "k<2>", "k<3>"}));
  CHECK(many.find("'nothing' was not declared") == many.rfind("'nothing' was not declared"));
  CHECK(many.find("has no kernel") == std::string::npos);
  const std::string instantiated =
      failure_log(spec_of("template <class T> __device__ T f(T x) { return x.none; }\n"
                          "template <int N> __global__ void k(int* p) {\n  p[N] = f(p[N]);\n}\n",
                          {"k<1>", "k<2>", "k<3>"}));
  CHECK(instantiated.find(": error:") == instantiated.rfind(": error:"));
  const std::string open = failure_log(spec_of("__global__ void k(int* p) {\n  if (p) {\n    p[0] = 1;\n}\n", {"k"}));
  CHECK_THAT(open, Catch::StartsWith("kernel.cu:1:") && Catch::Contains("error: this '{' is never closed"));
  CHECK(open.find("has no kernel") == std::string::npos);
  const std::string broken = failure_log(spec_of("__global__ void k(int* p) { p[0] = ; }\n", {"k", "other"}));
  CHECK_THAT(broken, Catch::Contains("kernel.cu:1:36: error: expected"));
  CHECK(broken.find("has no kernel") == std::string::npos);
  CHECK(broken.find("table of entries") == std::string::npos);
}

TEST_CASE("inline PTX is a compile error that says so") {
  CHECK_THAT(failure_log(spec_of("__global__ void k() { asm volatile(\"griddepcontrol.wait;\"); }", {"k"})),
             Catch::StartsWith("kernel.cu: error: the cpu device cannot run PTX"));
}

TEST_CASE("a candidate that asks for the heap of C++ is linked by g++, and one that does not is linked without it") {
  const Artifact with =
      build_artifact("__global__ void k(float** p) { *p = new float[4]; delete[] *p; *p = nullptr; }", {"k"});
  const Artifact without = build_artifact("__global__ void k(float* p) { *p = std::max(expf(*p), 1.0f); }", {"k"});
  CHECK(read_file(with.path).find("libstdc++.so") != std::string::npos);
  CHECK(read_file(without.path).find("libm.so") != std::string::npos);
  CHECK(read_file(without.path).find("libstdc++.so") == std::string::npos);
  session().preload(with);
  session().preload(without);
}

TEST_CASE("a candidate takes a function of libm in the same version, whether it needs libc too or not") {
  const Artifact math =
      build_artifact("__global__ void k(float* p) { __shared__ float s; s = *p; *p = expf(s); }", {"k"});
  const Artifact both = build_artifact(
      "__global__ void k(float* p, int n) { __shared__ float s; s = *p; memcpy(p, p + n, n); *p = expf(s); }", {"k"});
  const auto needs = [](const Artifact& artifact, const char* what) {
    return read_file(artifact.path).find(what) != std::string::npos;
  };
  CHECK(needs(math, "GLIBC_2.27"));
  CHECK(needs(both, "GLIBC_2.27"));
  CHECK_FALSE(needs(math, "libc.so.6"));
  CHECK(needs(both, "libc.so.6"));
  session().preload(math);
  session().preload(both);
}

TEST_CASE("only a source that includes the small float types knows them") {
  const std::string kernel = "__global__ void k(float* p) { *p = __half2float(__float2half_rn(*p)); }\n";
  const std::string include = "#include <harness/convert.cuh>\n";
  build_with_headers(include + kernel, {"k"});
  BuildSpec spec = spec_of(kernel, {"k"});
  spec.include_dirs = {HARNESS_SOURCE_DIR "/kernels/include"};
  CHECK_THAT(failure_log(spec), Catch::Contains("'__float2half_rn' was not declared"));
  spec.source = kernel + include;
  CHECK_THAT(failure_log(spec), Catch::Contains("'__float2half_rn' was not declared"));
}

TEST_CASE("a define that is a word of the small float types means what it says") {
  BuildSpec spec = spec_of("#include <cuda_fp16.h>\n__global__ void k(int* p) { *p = __hadd; }\n", {"k"});
  spec.defines = {{"__hadd", "5"}};
  CHECK_THAT(failure_log(spec), Catch::Contains("error"));  // of the header: it is read with the define
}

TEST_CASE("a function that is nowhere defined is a compile error") {
  CHECK_THAT(
      failure_log(spec_of("__device__ int nowhere(int);\n__global__ void k(int* p) { *p = nowhere(1); }", {"k"})),
      Catch::Contains("undefined reference to `nowhere(int)'"));
}

TEST_CASE("what a GPU's tools refuse is refused here") {
  CHECK_THAT(failure_log(spec_of("__global__ void k(char* p) { __shared__ char big[50000]; big[*p] = 1; *p = big[5]; }",
                                 {"k"})),
             Catch::Contains("entry k uses 50000 bytes of static shared memory"));
}

TEST_CASE("warnings are in the log of a build that succeeds, also from the cache") {
  const BuildSpec spec =
      spec_of("__device__ int f(int a) { if (a) return 1; }\n__global__ void k(int* p) { *p = f(*p); }", {"k"});
  const auto first = std::get<Artifact>(build(spec)), second = std::get<Artifact>(build(spec));
  CHECK_THAT(first.log, Catch::Contains("kernel.cu:1:44: warning"));
  CHECK(second.log == first.log);
}

TEST_CASE("the same build comes from the cache, and a change of anything that decides it does not") {
  static int run = 0;  // each section starts from a source that was never built
  BuildSpec spec = spec_of(
      "#include \"part.cuh\"\n__global__ void k(int* p) { *p = PART + LOCAL; }  // " + std::to_string(run++), {"k"});
  const std::string folder = cache_folder() + "-headers";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/part.cuh") << "#define PART 1\n";
  spec.include_dirs = {folder};
  spec.defines = {{"LOCAL", "5"}};
  const auto first = std::get<Artifact>(build(spec)), again = std::get<Artifact>(build(spec));
  CHECK_FALSE(first.from_cache);
  CHECK(again.from_cache);
  CHECK(again.compile_s == 0);
  CHECK(again.path == first.path);
  CHECK(again.key == first.key);
  CHECK(again.entries.size() == 1);

  SECTION("a header") {
    std::ofstream(folder + "/part.cuh") << "#define PART 2\n";
    const auto changed = std::get<Artifact>(build(spec));
    CHECK_FALSE(changed.from_cache);
    CHECK(changed.key != first.key);
    CHECK(changed.code_hash != first.code_hash);
    std::ofstream(folder + "/part.cuh") << "#define PART 1\n";
    CHECK(std::get<Artifact>(build(spec)).path == first.path);
  }
  SECTION("a define") {
    spec.defines = {{"LOCAL", "6"}};
    CHECK(std::get<Artifact>(build(spec)).key != first.key);
  }
  SECTION("a define that means nothing leaves the machine code alone") {
    spec.defines.push_back({"UNUSED", "1"});
    const auto changed = std::get<Artifact>(build(spec));
    CHECK(changed.key != first.key);
    CHECK(changed.code_hash == first.code_hash);
  }
  SECTION("the options") {
    spec.options = {"--std=c++20"};
    CHECK(std::get<Artifact>(build(spec)).key != first.key);
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("a header that is another one than when the source's hash was made is refused, and not compiled") {
  BuildSpec spec = spec_of("#include \"part.cuh\"\n__global__ void k(int* p) { *p = PART; }  // changed", {"k"});
  const std::string folder = cache_folder() + "-changed";
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/part.cuh") << "#define PART 1\n";
  spec.include_dirs = {folder};
  spec.included = {{std::filesystem::weakly_canonical(folder + "/part.cuh"), sha256_hex("#define PART 1\n")}};
  CHECK(std::holds_alternative<Artifact>(build(spec)));
  std::ofstream(folder + "/part.cuh") << "#define PART 2\n";
  CHECK_THROWS_WITH(build(spec), Catch::Contains("part.cuh has changed since kernel.cu was read"));
  std::ofstream(folder + "/part.cuh") << "#define PART 1\n#include \"more.cuh\"\n";
  std::ofstream(folder + "/more.cuh") << "#define MORE 1\n";
  spec.included[0].second = sha256_hex("#define PART 1\n#include \"more.cuh\"\n");
  CHECK_THROWS_WITH(build(spec), Catch::Contains("more.cuh has come to be included"));
  std::filesystem::remove_all(folder);
}

TEST_CASE("options are obeyed, or named as meaningless, and never reach the host compiler unseen") {
  BuildSpec spec = spec_of("static_assert(__cplusplus > 201703L);\n__global__ void k() {}", {"k"});
  spec.options = {"--use_fast_math", "-std=c++20", "-fplugin=/tmp/x.so"};
  const auto artifact = std::get<Artifact>(build(spec));
  CHECK_THAT(artifact.log, Catch::Contains("'--use_fast_math' means nothing to the cpu device"));
  CHECK_THAT(artifact.log, Catch::Contains("'-fplugin=/tmp/x.so' means nothing"));
}

TEST_CASE("without a compiler the device is missing and building is an environment error") {
  CHECK_THROWS_AS(CpuCompiler(cache_folder(), include_folder(), "/nonexistent/g++"), Error);
  CHECK_THROWS_AS(CpuCompiler(cache_folder(), include_folder(), "/bin/false"), Error);
  const DeviceInfo info = probe_cpu("/nonexistent/g++");
  CHECK_FALSE(info.available);
  REQUIRE(info.missing.size() == 1);
  CHECK(probe_cpu().available);
}

TEST_CASE("variables that outlive a launch are listed, and nothing of the runtime's own") {
  CpuCompiler compiler(cache_folder(), include_folder());
  BuildSpec spec;
  spec.source_name = "k.cu";
  spec.entries = {"k"};
  spec.source = R"(
__device__ int hits;
__device__ float memo[64] = {1};
namespace { __device__ int hidden; }
constexpr float kTable[3] = {1, 2, 3};
__device__ const float more[3] = {1, 2, 3};
__global__ void k(int* p, int n) {
  static int launches = 5;
  __shared__ int tile[4];
  tile[threadIdx.x % 4] = n;
  __syncthreads();
  p[0] = ++hits + ++hidden + ++launches + tile[n % 4] + static_cast<int>(kTable[n] + more[n] + memo[n]);
  memo[n] = 3;
}
)";
  const BuildResult built = compiler.build(spec);
  if (const auto* failure = std::get_if<CompileFailure>(&built)) FAIL(failure->log);
  CHECK(std::get<Artifact>(built).globals ==
        std::vector<std::string>{"(anonymous namespace)::hidden", "hits", "k(int*, int)::launches", "memo"});
  spec.source = "__global__ void k(int* p) { p[0] = 1; if (p[0] == 2) printf(\"no\"); }";
  CHECK(std::get<Artifact>(compiler.build(spec)).globals.empty());
}

TEST_CASE("a compiler that hardens code unasked, as some systems' do, adds no calls to a candidate") {
  const tests::Scratch scratch;
  scratch.write("k.cu",
                "extern \"C\" void fill(char*);\n"
                "extern \"C\" void k(char* to, const char* from, unsigned long n) {\n"
                "  char local[64];\n  fill(local);\n"
                "  __builtin_memcpy(local, from, n);\n  to[0] = local[n / 2];\n}\n");
  std::string command = "g++ -O2 -D_FORTIFY_SOURCE=2 -fstack-protector-all -fstack-clash-protection";
  for (const std::string& flag : cpu::compile_flags(spec_of("", {"k"}), "guest").arguments)
    command += " '" + flag + "'";
  const std::string object = scratch.path("k.o"), names = scratch.path("names");
  REQUIRE(std::system((command + " -x c++ -c -o " + object + " " + scratch.path("k.cu")).c_str()) == 0);
  REQUIRE(std::system(("nm --undefined-only " + object + " > " + names).c_str()) == 0);
  const std::string undefined = read_file(names);
  CHECK_THAT(undefined, Catch::Contains("fill") && Catch::Contains("memcpy"));
  CHECK_THAT(undefined, !Catch::Contains("chk"));
}

}  // namespace harness::test
