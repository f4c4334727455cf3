#include "harness/device/cuda/compile/compile_log.h"

#include <catch2/catch.hpp>

using namespace harness::cuda;

TEST_CASE("spills and shared memory of each entry come from the ptxas log") {
  const auto entries = parse_ptxas_log(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function '_Z1av' for 'sm_90a'\n"
      "ptxas info    : Function properties for _Z1av\n"
      "ptxas         .     8 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads\n"
      "ptxas info    : Function properties for _Z6helperv\n"
      "ptxas         .     0 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
      "ptxas info    : Used 24 registers, used 1 barriers, 400 bytes smem\n"
      "ptxas info    : Compiling entry function 'b' for 'sm_90a'\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers");
  REQUIRE(entries.size() == 2);
  CHECK(entries.at("_Z1av").spill_bytes == 36);
  CHECK(entries.at("_Z1av").static_shared_bytes == 400);
  CHECK(entries.at("b").spill_bytes == 0);
  CHECK(entries.at("b").static_shared_bytes == 0);
}

TEST_CASE("what costs speed is told in sentences, the same remark once with all its places") {
  const auto notes = performance_notes(
      "ptxas info    : (C7519) warpgroup.arrive is injected in around line 36 by compiler to allow use of registers in "
      "GMMA in function '_Z1gPfyy'\n"
      "ptxas info    : (C7517) warpgroup.wait is injected in around line 38 by compiler to allow use of registers "
      "defined by GMMA in function '_Z1fv'\n"
      "ptxas info    : (C7517) warpgroup.wait is injected in around line 92 by compiler to allow use of registers "
      "defined by GMMA in function '_Z1fv'\n"
      "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to wgmma "
      "pipeline crossing function boundary at a function call in the function '_Z1fv'\n"
      "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at "
      "entry.\n"
      "ptxas warning : Local memory used for function '_Z1fv', size of stack frame: 272 bytes\n"
      "ptxas warning : Registers are spilled to local memory in function '_Z1fv', 536 bytes spill stores, 560 bytes "
      "spill loads\n"
      "note          : (C1) no remark of ptxas\n",
      {{"_Z1fv", "f<half>"}});
  CHECK(notes == std::vector<std::string>{
                     "local memory in f<half>: a stack frame of 272 bytes",
                     "spills in f<half>: 536 bytes stored, 560 loaded",
                     "C7519: warpgroup.arrive is injected 1 time in _Z1gPfyy (PTX line 36)",
                     "C7517: warpgroup.wait is injected 2 times in f<half> (PTX line 38, 92)",
                     "C7510: wgmma.mma_async instructions are serialized due to wgmma pipeline crossing function "
                     "boundary at a function call in the function f<half>",
                     "C7508: 'setmaxnreg' ignored; unable to determine register count at entry.",
                 });
  CHECK(performance_notes("ptxas info    : Used 8 registers", {}).empty());
}

TEST_CASE("a warning of the source that looks like ptxas does not outlive what ptxas says later") {
  const auto entries = parse_ptxas_log(
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas         .     0 bytes stack frame, 999 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas         .     0 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads\n");
  CHECK(entries.at("k").spill_bytes == 4);
  CHECK(parse_ptxas_log("").empty());
}
