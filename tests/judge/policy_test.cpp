#include "harness/judge/policy.h"

#include <catch2/catch.hpp>

#include "harness/judge/policy_text.h"

using namespace harness;
using namespace harness::judge;

namespace {

std::vector<std::string> categories(const std::string& source) {
  std::vector<std::string> found;
  for (const PolicyFlag& flag : scan_source("k.cu", source)) found.push_back(flag.category);
  return found;
}
using Categories = std::vector<std::string>;

}  // namespace

TEST_CASE("clocks are found in code and in assembly, with their line") {
  const auto flags = scan_source("k.cu", "__global__ void k() {\n  long t = clock64();\n}\n");
  REQUIRE(flags.size() == 1);
  CHECK(flags[0].category == "timers");
  CHECK(flags[0].line == 2);
  CHECK(categories("asm volatile(\"mov.u64 %0, %%globaltimer;\" : \"=l\"(t));") == Categories{"timers"});
  CHECK(categories("long long (*f)() = &clock64;") == Categories{"timers"});
  CHECK(categories("lo\\\nng t = clo\\\nck();") == Categories{"timers"});
}

TEST_CASE("comments, strings and words that only look like it are no flags") {
  CHECK(categories("// clock64() is not used\n/* asm(\"trap;\") */ const char* s = \"clock64()\"; int clock = 1'000;")
            .empty());
  CHECK(categories("__device__ float o_clock(float x); float y = o_clock(1); timer.clock_rate = 3;").empty());
  CHECK(categories("auto s = R\"x(clock64() asm(\"trap\"))x\";").empty());
}

TEST_CASE("L2 pinning, launch numbers and unknown instructions are found in assembly") {
  CHECK(categories("asm(\"createpolicy.fractional.L2::evict_last.b64 %0;\" : \"=l\"(p));") ==
        Categories{"eviction_hints", "eviction_hints", "inline_assembly"});
  CHECK(categories("asm(\"mov.u64 %0, %%gridid;\" : \"=l\"(n));") == Categories{"launch_state"});
  CHECK(categories("asm volatile(\"trap;\");") == Categories{"inline_assembly"});
  CHECK(categories("asm volatile(\"{ .reg .pred p; setp.ne.b32 p, %1, 0; @p cp.async.cg.shared.global [%0], [%2], 16; "
                   "lab: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1}; }\" :: \"r\"(a));")
            .empty());
}

TEST_CASE("includes outside of the plugin and the toolkit are found, also probes and embedded files") {
  CHECK(categories("#include \"tile.cuh\"\n#include <cuda_fp16.h>\n#include <harness/vec.cuh>\n").empty());
  CHECK(categories("#include \"/etc/passwd\"\n") == Categories{"includes"});
  CHECK(categories("#include \"../../other/reference.cu\"\n") == Categories{"includes"});
  CHECK(categories("#include <thread>\n") == Categories{"includes"});
  CHECK(categories("#define F \"x\"\n#include F\n") == Categories{"includes"});
  CHECK(categories("#if __has_include(\"/etc/passwd\")\n#endif\n") == Categories{"includes"});
  CHECK(categories("#if __has_include(<cuda_fp8.h>)\n#endif\n").empty());
  CHECK(categories("#embed \"/etc/passwd\"\n") == Categories{"includes"});
  CHECK(categories("#  pragma GCC dependency \"/etc/passwd\"\n") == Categories{"includes"});
}

TEST_CASE("what keeps a function out of the instrumentation, or tells builds apart, is found") {
  const Categories instrumentation{"instrumentation"};
  for (const char* source : {"__attribute__((no_sanitize(\"thread\"))) __global__ void k();",
                             "__attribute__((noinline, no_sanitize_thread)) void f();",
                             "[[gnu::no_sanitize_thread]] void f();",
                             "[[using gnu: noinline, no_sanitize_thread]] void f();",
                             "__attribute__((__no_instrument_function__)) void f();",
                             "__attribute((optimize(\"no-tree-dce\"))) void f();",
                             "#define KEEP __attribute__((disable_sanitizer_instrumentation))\n",
                             "#define A(x) __attribute__((x))\n",
                             "#pragma GCC optimize(\"O0\")\n",
                             "#pragma GCC push_options\n",
                             "_Pragma(\"GCC target(\\\"avx\\\")\") int x;",
                             "#pragma clang attribute push(__attribute__((noinline)))\n",
                             "#ifdef __SANITIZE_THREAD__\n#endif\n",
                             "#if defined(HARNESS_CPU_CHECKED)\n#endif\n",
                             "extern \"C\" void __tsan_acquire(void*);",
                             "int n = __builtin_ia32_pause;",
                             "#if __has_feature(thread_sanitizer)\n#endif\n",
                             "#line 1 \"elsewhere.h\"\n",
                             "  #  line 7\nint x;",
                             "int n = __builtin_constant_p(m);",
                             "int n = __builtin_object_size(p, 0);",
                             "# 3 \"elsewhere.h\" 1\n",
                             "%:line 5\n"}) {
    INFO(source);
    const Categories found = categories(source);
    REQUIRE_FALSE(found.empty());
    CHECK(found.front() == "instrumentation");
  }
  for (const char* source :
       {"struct __attribute__((aligned(16))) Four { float v[4]; };", "[[nodiscard]] __device__ int f();", "[[likely]]",
        "__attribute__((always_inline)) inline void f();", "#pragma unroll 4\n", "#pragma nv_diag_suppress 177\n",
        "int x = a[b[0]];", "int line = 1;\n#define LINE line\n", "alignas(16) float v[4]; __align__(16) int n;",
        "_Pragma(\"unroll\") for (;;) {}"}) {
    INFO(source);
    CHECK(categories(source).empty());
  }
}

TEST_CASE("the time of a build and the files of its machine are no part of a source") {
  for (const char* source : {"const char* t = __TIME__;", "#define DAY __DATE__\n", "int n = __COUNTER__;",
                             "#define P(a, b) a##b\nP(__TI, ME__)\n"}) {
    INFO(source);
    const Categories found = categories(source);
    REQUIRE_FALSE(found.empty());
    CHECK(found.front() == "build_probes");
  }
  CHECK(categories("#if __has_include(<linux/version.h>)\n#endif\n") == Categories{"includes"});
  CHECK(categories("#if __has_include(\"python3.11/Python.h\")\n#endif\n") == Categories{"includes"});
}

TEST_CASE("a macro that stands for a clock is one") {
  CHECK(categories("#define NOW clock64\nlong t = NOW();\n") == Categories{"timers"});
  CHECK(categories("#define NOW \\\n  __rdtsc\n") == Categories{"timers"});
  CHECK(categories("#define RATE 3\nint clock = 4;\n").empty());
}

TEST_CASE("PTX hides nothing behind macros") {
  const auto flags = scan_ptx("PTX", "// %clock64 in a comment\nmov.u64 %rd1, %clock64;\n");
  REQUIRE(flags.size() == 1);
  CHECK(flags[0].line == 2);
}

TEST_CASE("PTX is searched by tokens: no string, comment or line end hides an instruction") {
  const auto found = [](const std::string& text) {
    Categories categories;
    for (const PolicyFlag& flag : scan_ptx("PTX", text)) categories.push_back(flag.category);
    return categories;
  };
  CHECK(found(".pragma \"a//b\"; mov.u64 %rd1, %clock64;") == Categories{"timers"});
  CHECK(found(".pragma \"a/*b\"; ld.global.L2::evict_last.f32 %f1, [%rd1];") == Categories{"eviction_hints"});
  CHECK(found(".pragma \"a\\\" // \"; mov.u32 %r1, %clock;") == Categories{"timers"});
  CHECK(found(".pragma \"a\nb // \"; mov.u64 %rd1, %globaltimer;") == Categories{"timers"});
  CHECK(found(".pragma \"a\"b\" // \nmov.u64 %rd1, %clock64;\"") == Categories{"timers"});
  CHECK(found("/* // */ mov.u32 %r1, %clock_hi; // */") == Categories{"timers"});
  CHECK(found("// x\rmov.u32 %r1, %clock_hi;") == Categories{"timers"});
  CHECK(found("ld.global.L2::\n/* */ cache_hint.f32 %f1, [%rd1], %rd2;") == Categories{"eviction_hints"});
  CHECK(found("mov.u32 %r1, %pm3;") == Categories{"timers"});
  CHECK(found("mov.u64 %rd1, %current_graph_exec;") == Categories{"launch_state"});
  CHECK(found("discard .global.L2 [%rd1], 128;") == Categories{"eviction_hints"});
  // What only looks like it.
  CHECK(found("mov.u32 %r1, %pmask; mov.u32 discard, 1; .file 1 \"k/11_evict_last %clock.cu\"").empty());
  CHECK(found("// %clock64\n/* createpolicy */ .visible .entry _Z10evict_lastv() { ret; }").empty());
}

TEST_CASE("machine code is searched in a disassembler's words") {
  const auto found =
      scan_sass("SASS", "        /*0010*/  S2UR UR4, SR_CLOCKLO ;\n  /*0020*/ LDG.E.EL R2, desc[UR4][R2.64] ;\n");
  REQUIRE(found.size() == 2);
  CHECK(found[0].category == "timers");
  CHECK(found[1].category == "eviction_hints");
  CHECK(found[1].line == 2);
  CHECK(scan_sass("SASS", "S2R R0, SR_TID.X ; LDG.E.64.CONSTANT R2 ; STL.LU [R1], R2 ; // SR_CLOCKLO").empty());
}

TEST_CASE("names and directives are found as the compiler reads them") {
  CHECK(categories("%:include \"/etc/passwd\"\n") == Categories{"includes"});
  CHECK(categories("?\?=include \"/etc/passwd\"\n") == Categories{"includes"});
  CHECK(categories("#inc\\   \nlude \"/etc/passwd\"\n") == Categories{"includes"});
  CHECK(categories("#inc?\?/\nlude \"/etc/passwd\"\n") == Categories{"includes"});
  CHECK(categories("/* two\nlines */ # /**/ include \"/etc/passwd\"\n") == Categories{"includes"});
  CHECK(categories("_Pragma(\"GCC dependency \\\"/etc/passwd\\\"\")\n") == Categories{"includes"});
  CHECK(categories("long t = clo\\ \t\nck64();") == Categories{"timers"});
  CHECK(categories("const char* s = \"?\?/\"\"; long t = clock64(); //\"") == Categories{"timers"});
  CHECK(categories("asm(\"\\162dtsc\");") == Categories{"timers", "inline_assembly"});
  CHECK(categories("asm(\"mov.u64 %0, %%\\143lock64;\" : \"=l\"(t));") == Categories{"timers"});
  CHECK(categories("#define S(x) #x\nasm(S(.incbin) \" '/etc/passwd'\");") == Categories{"includes"});
  CHECK(categories("asm(\".include \\\"x.s\\\"\");") == Categories{"includes"});
  // A raw string joins no lines: it ends later than it seems, and the include stands outside.
  CHECK(categories("auto s = R\"x( )x\\\n\" R\"y( )x\";\n#include \"/etc/passwd\"\nauto t = R\"q()y\" )q\";") ==
        Categories{"includes"});
}

TEST_CASE("a refused name that ## can put together is refused") {
  CHECK(categories("#define J(a, b) a##b\nlong t = J(clo, ck64)();") == Categories{"timers"});
  CHECK(categories("#define J(a, b) a %:%: b\nlong t = J(clock, 64)();") == Categories{"timers"});
  CHECK(categories("#define A clo\n#define J(a, b) a##b\n#define K(a, b) J(a, b)\nlong t = K(A, ck64)();") ==
        Categories{"timers"});
  CHECK(categories("#define J(x) sys##x\nlong t = J(call)(0);") == Categories{"host_calls"});
  CHECK(categories("#define LOAD(n) load_##n\nint f(int o, int r, int k); LOAD(4)(LOAD(8), block, 64);").empty());
  CHECK(categories("int clo, ck64; f(clo, ck64);").empty());
}

TEST_CASE("a flag is refused, marked, or granted with its reason") {
  const auto flags = scan_source("k.cu", "long t = clock64();");
  const GateResult refused = policy_gate(flags, {}, true);
  CHECK_FALSE(refused.passed);
  CHECK(refused.detail.find("k.cu:1") != std::string::npos);
  const GateResult marked = policy_gate(flags, {}, false);
  CHECK(marked.passed);
  CHECK(marked.detail.find("marked: k.cu:1") != std::string::npos);
  const GateResult granted = policy_gate(flags, {{"timers", "measures its own phases"}}, true);
  CHECK(granted.passed);
  CHECK(granted.detail.find("measures its own phases") != std::string::npos);
  CHECK(policy_gate({}, {}, true).detail == "nothing flagged");
}

TEST_CASE("a library that the contract grants may be included, and says so") {
  const std::map<std::string, std::string> granted{{"library cute", "adopted with it"}};
  const std::set<std::string> libraries = granted_libraries(granted);
  CHECK(libraries == std::set<std::string>{"cute"});
  CHECK(is_of_library("cute/atom/copy.hpp", libraries));
  CHECK_FALSE(is_of_library("variants/cute/copy.hpp", libraries));
  CHECK_FALSE(is_of_library("cute", libraries));
  const std::string text = "#include <cute/tensor.hpp>\n";
  CHECK(scan_source("k.cu", text, libraries).empty());
  CHECK(scan_source("k.cu", text).size() == 1);
  CHECK(scan_source("k.cu", "#include <cute/../../other.hpp>\n", libraries).size() == 1);
  CHECK_THAT(policy_gate({}, granted, true).detail, Catch::Contains("library cute is not read: adopted with it"));
}
