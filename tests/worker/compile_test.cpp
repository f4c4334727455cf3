#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "harness/core/bounded_log.h"
#include "harness/device/cpu/compile/compiler.h"
#include "harness/device/cpu/cpu_kind.h"
#include "harness/device/cuda/api/nvrtc_api.h"
#include "harness/device/cuda/api/toolkit.h"
#include "harness/device/cuda/cuda_kind.h"
#include "harness/system/walls.h"
#include "tests/support/program.h"
#include "tests/support/skip.h"

// What a hostile source tries while it is compiled, with both compilers as a builder makes them.
using namespace harness;
using namespace harness::tests;

namespace {

constexpr const char* kSecret = "the_treasure_is_under_the_oak";

// A kernel's folder beside things that are not the candidate's.
struct Yard {
  Scratch scratch;
  cpu::CpuKind cpu;
  cuda::CudaKind cuda;
  Target target;
  std::unique_ptr<Compiler> compiler;

  explicit Yard(const std::string& device, CompileLimits limits = {}) {
    scratch.write("kernels/mine/own.cuh", "#define OWN 1\n");
    scratch.write("kernels/mine/bomb.cuh", "#include \"bomb.cuh\"\n#include \"bomb.cuh\"\n");
    scratch.write("kernels/other/reference.cu", kSecret);
    scratch.write("experiments.db", kSecret);
    scratch.write("cache/requests/aa.json", kSecret);
    target.device = device;
    target = {device,
              device == "cpu" ? "x86-64" : "sm_90a",
              scratch.path("cache"),
              kind().find_headers(HARNESS_SOURCE_DIR "/harness/device/cpu/guest"),
              device == "cpu",
              limits};
    compiler = make_compiler(kind(), target);
  }

  const DeviceKind& kind() const { return target.device == "cpu" ? cpu : static_cast<const DeviceKind&>(cuda); }

  BuildResult build(const std::string& source) {
    BuildSpec spec;
    spec.source_name = "kernels/mine/variants/x.cu";
    spec.source = source + "\nextern \"C\" __global__ void k(int* p) { *p = 1; }\n";
    spec.entries = {"k"};
    spec.include_dirs = {scratch.path("kernels/mine")};
    return compiler->build(spec);
  }
};

// All that the author of a source gets to see, or could read later.
std::string revealed(const BuildResult& result) {
  if (const auto* failure = std::get_if<CompileFailure>(&result)) return failure->log;
  const auto& artifact = std::get<Artifact>(result);
  std::ifstream file(artifact.path, std::ios::binary);
  return artifact.log + std::string(std::istreambuf_iterator<char>(file), {});
}

bool compiled(const BuildResult& result) {
  return std::holds_alternative<Artifact>(result);
}

bool is_missing(const std::string& device) {
  if (device == "cpu" || cuda::nvrtc_library().api) return false;
  skip(cuda::nvrtc_library().missing);
  return true;
}

std::string twice(const std::string& name, const std::string& of) {
  return "#define " + name + " " + of + " " + of + "\n";
}

// A macro M(depth) that stands for 2^depth times `text`.
std::string doubled(const std::string& text, int depth) {
  std::string source = "#define D0 " + text + "\n";
  for (int i = 1; i <= depth; ++i) source += twice("D" + std::to_string(i), "D" + std::to_string(i - 1));
  return source + "D" + std::to_string(depth) + "\n";
}

}  // namespace

TEST_CASE("a source that minds its own business compiles within the walls") {
  const std::string device = GENERATE("cpu", "cuda:0");
  if (is_missing(device)) return;
  Yard yard(device);
  const BuildResult result = yard.build("#include \"own.cuh\"\n#include <cuda_fp16.h>\nstatic_assert(OWN == 1);");
  INFO(revealed(result));
  CHECK(compiled(result));
}

TEST_CASE("nothing outside a build's folders can be included, embedded or assembled in") {
  const std::string device = GENERATE("cpu", "cuda:0");
  if (is_missing(device)) return;
  if (!walls_here().own_root && !walls_here().landlock) return skip("nothing confines compilers here");
  Yard yard(device);
  const auto gets_nothing = [&](const std::string& source) {
    const BuildResult result = yard.build(source);
    const std::string seen = revealed(result);
    INFO(device << "\n" << source << "\n" << seen.substr(0, 2000));
    CHECK_FALSE(compiled(result));
    CHECK(seen.find(kSecret) == std::string::npos);
    CHECK(seen.find("root:") == std::string::npos);
    CHECK(seen.find("PATH=") == std::string::npos);
    // That would say: it is there.
    if (walls_here().own_root) CHECK(seen.find("ermission denied") == std::string::npos);
  };
  std::string assembled;
  for (const std::string& file :
       {std::string("/etc/passwd"), std::string("../../../../../../../../../../etc/passwd"),
        std::string("/proc/self/environ"), std::string("/dev/stdin"), yard.scratch.path("experiments.db"),
        yard.scratch.path("kernels/other/reference.cu"), std::string("../other/reference.cu"),
        yard.scratch.path("cache/requests/aa.json"), std::string("../../requests/aa.json")}) {
    gets_nothing("#include \"" + file + "\"");
    assembled += "asm(\".incbin \\\"" + file + "\\\"\");\n";
  }
  gets_nothing("#include </etc/passwd>");
  gets_nothing("#embed \"/etc/passwd\"");
  gets_nothing("#define WHERE \"/etc/passwd\"\n#include WHERE\n");
  if (device == "cpu") gets_nothing(assembled);
}

TEST_CASE("without walls the same attack succeeds") {
  Yard yard("cpu");
  yard.compiler = std::make_unique<CpuCompiler>(yard.scratch.path("cache"), yard.target.headers);
  CHECK(revealed(yard.build("#include <../other/reference.cu>")).find(kSecret) != std::string::npos);
}

TEST_CASE("Landlock alone lets no file be read either") {
  if (!walls_here().landlock) return skip("this kernel has no Landlock");
  Yard yard("cpu");
  yard.compiler = std::make_unique<CpuCompiler>(yard.scratch.path("cache"), yard.target.headers, "",
                                                Walls{.landlock = true, .filter = true});
  CHECK(compiled(yard.build("#include \"own.cuh\"")));
  const BuildResult result = yard.build("#include <../other/reference.cu>");
  CHECK_FALSE(compiled(result));
  CHECK(revealed(result).find(kSecret) == std::string::npos);
}

TEST_CASE("whether a file exists cannot be found out") {
  const std::string device = GENERATE("cpu", "cuda:0");
  if (is_missing(device)) return;
  if (!walls_here().own_root) return skip("this machine gives no namespaces");
  Yard yard(device);
  std::string source;
  for (const std::string& file : {std::string("/etc/passwd"), yard.scratch.path("experiments.db"),
                                  std::string("../other/reference.cu"), std::string("/proc/self/environ")})
    source += "#if __has_include(\"" + file + "\") || __has_include(<" + file + ">)\n#error there\n#endif\n";
  const BuildResult result = yard.build(source);
  INFO(device << "\n" << source << revealed(result));
  CHECK(compiled(result));
  // A file that is there and older than the source says nothing, one that is not there is an error.
  const std::string seen = revealed(yard.build("#pragma GCC dependency \"/etc/passwd\""));
  if (device == "cpu") CHECK(seen.find("No such file") != std::string::npos);
}

TEST_CASE("the scratch folder's name is not in the code: __FILE__ and __BASE_FILE__ are the kernel's own") {
  Yard yard("cpu");
  const BuildResult result = yard.build("__device__ const char* names[] = {__FILE__, __BASE_FILE__};");
  INFO(revealed(result));
  REQUIRE(compiled(result));
  std::ifstream file(std::get<Artifact>(result).path, std::ios::binary);
  const std::string code{std::istreambuf_iterator<char>(file), {}};
  CHECK(code.find(yard.scratch.path("")) == std::string::npos);
}

TEST_CASE("options that would load or read something else do not reach a compiler") {
  const std::string device = GENERATE("cpu", "cuda:0");
  if (is_missing(device)) return;
  Yard yard(device);
  const std::vector<std::string> options{"-fplugin=/tmp/x.so", "@/etc/passwd",  "-include/etc/passwd",      "-B/tmp",
                                         "-wrapper=/bin/sh",   "-specs=/tmp/x", "--pre-include=/etc/passwd"};
  BuildSpec spec;
  spec.source_name = "x.cu";
  spec.source = "extern \"C\" __global__ void k() {}";
  spec.entries.push_back("k");
  for (const std::string& option : options) {
    spec.options.push_back(option);
    if (device == "cpu") continue;  // all at once there, for each is named as meaningless; one refuses the build here
    const BuildResult result = yard.compiler->build(spec);
    CHECK_FALSE(compiled(result));
    CHECK(revealed(result).find("'" + option + "' is not allowed") != std::string::npos);
    spec.options.clear();
  }
  if (device != "cpu") return;
  const BuildResult result = yard.compiler->build(spec);
  REQUIRE(compiled(result));
  for (const std::string& option : options)
    CHECK(revealed(result).find("'" + option + "' means nothing") != std::string::npos);
}

TEST_CASE("a compiler bomb costs its deadline or its memory, says so, and the next build is not blamed") {
  const std::string device = GENERATE("cpu", "cuda:0");
  if (is_missing(device)) return;
  constexpr double kDeadline = 2;
  Yard yard(device, {kDeadline, 1ll << 30});
  const auto [name, source] = GENERATE(table<std::string, std::string>({
      {"an include that doubles", "#include \"bomb.cuh\""},
      {"a macro of 2^30 tokens", doubled("+1", 30)},
      {"templates that double",
       "template <int N, int M> struct B { static constexpr int v = B<N - 1, 2 * M>::v + B<N - "
       "1, 2 * M + 1>::v; };\ntemplate <int M> struct B<0, M> { static constexpr int v = 1; };"
       "\nconstexpr int x = B<26, 0>::v;"},
      {"templates without end",
       "template <int N> struct R { static constexpr int v = R<N + 1>::v; };\nconstexpr int x = "
       "R<0>::v;"},
      {"a constexpr loop", "constexpr int f() { unsigned x = 0; for (;;) ++x; return x; }\nconstexpr int y = f();"},
  }));
  INFO(device << ": " << name);
  const auto begin = std::chrono::steady_clock::now();
  const BuildResult result = yard.build(source);
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  INFO(revealed(result).substr(0, 1500));
  CHECK_FALSE(compiled(result));
  CHECK(took < 10 * kDeadline);  // core time counts: on a busy machine more passes
  const std::string log = revealed(result);
  CHECK_FALSE(log.empty());
  const bool ended_by_itself = log.find("memory") != std::string::npos || log.find("error:") != std::string::npos;
  if (took > 2 * kDeadline && !ended_by_itself) CHECK(log.find("gave up after 2 s") != std::string::npos);
  yard.target.compile = {};  // this one may take its time on a busy machine
  yard.compiler = make_compiler(yard.kind(), yard.target);
  const BuildResult next = yard.build("");
  INFO(revealed(next));
  CHECK(compiled(next));
}

namespace {

std::string warnings(int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) lines += fmt::format("#warning again and again, {} times\n", i);
  return lines;
}

}  // namespace

TEST_CASE("of megabytes of diagnostics the head and the tail are kept") {
  const std::string device = GENERATE("cpu", "cuda:0");
  if (is_missing(device)) return;
  Yard yard(device, {20, 2ll << 30});
  const std::string flood =
      device == "cpu" ? warnings(16000)  // each another: what is repeated is told once
                      : "#define W static_assert(sizeof(int) == 5, \"again and again\");\n" + doubled("W", 12);
  const std::string log = revealed(yard.build(flood + "\nint broken = nowhere;"));
  CHECK(log.size() < BoundedLog::kLimit + 4096);
  CHECK(log.find("again and again") != std::string::npos);
  if (device == "cpu") CHECK(log.find("bytes of the log are cut here") != std::string::npos);
}

TEST_CASE("a build leaves nothing but its artifact, and no process") {
  Yard yard("cpu", {5, 1ll << 30});  // an ordinary build takes a fifth of it on a busy machine
  CHECK_FALSE(compiled(yard.build(doubled("+1", 30))));
  CHECK(std::filesystem::is_empty(yard.scratch.path("cache/scratch")));
  const BuildResult result = yard.build("");
  REQUIRE(compiled(result));
  const std::string place = std::filesystem::path(std::get<Artifact>(result).path).parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(place)) {
    INFO(entry.path());
    const std::string name = entry.path().filename();
    CHECK((name == "candidate.so" || name == "candidate.cpp" || name == "artifact.json"));
  }
}

TEST_CASE("a log keeps whole characters at its cut") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "\u00e9";
  const std::string cut = bounded(text, 101);
  CHECK(cut.size() < 200);
  CHECK(json(cut).dump().find("\u00e9") != std::string::npos);  // throws for broken UTF-8
  CHECK(bounded("short") == "short");
  BoundedLog log(10);
  for (int i = 0; i < 26; ++i) log.append(std::string(1, static_cast<char>('a' + i)));
  CHECK(log.text() == "abcde\n[16 bytes of the log are cut here]\nvwxyz");
}
