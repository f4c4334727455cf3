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

TEST_CASE("PTX hides nothing behind macros") {
  const auto flags = scan_ptx("PTX", "// %clock64 in a comment\nmov.u64 %rd1, %clock64;\n");
  REQUIRE(flags.size() == 1);
  CHECK(flags[0].line == 2);
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
