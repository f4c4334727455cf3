#include "harness/device/cuda/compile_log.h"

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

TEST_CASE("a warning of the source that looks like ptxas does not outlive what ptxas says later") {
  const auto entries = parse_ptxas_log(
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas         .     0 bytes stack frame, 999 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
      "ptxas         .     0 bytes stack frame, 4 bytes spill stores, 0 bytes spill loads\n");
  CHECK(entries.at("k").spill_bytes == 4);
  CHECK(parse_ptxas_log("").empty());
}
