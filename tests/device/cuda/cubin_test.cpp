#include "harness/device/cuda/cubin.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/device/cuda/nvrtc_program.h"
#include "tests/support/skip.h"

using namespace harness;
using namespace harness::cuda;

TEST_CASE("bytes that are no cubin are refused in a sentence") {
  REQUIRE_THROWS_AS(parse_cubin(""), Error);
  REQUIRE_THROWS_AS(parse_cubin(std::string(64, 'x')), Error);
}

TEST_CASE("a cubin cut anywhere or with bytes changed is read or refused, never beyond its end") {
  if (!nvrtc_library().api) {
    harness::tests::skip(nvrtc_library().missing);
    return;
  }
  const NvrtcOutput output =
      compile_with_nvrtc(*nvrtc_library().api, "k.cu", "extern \"C\" __global__ void k(int* p, int n) { *p = n; }",
                         {"k"}, {"--gpu-architecture=sm_90a"});
  REQUIRE(output.compiled);
  const Cubin whole = parse_cubin(output.cubin);
  CHECK(whole.kernels.at("k").parameter_bytes == std::vector<std::int64_t>{8, 4});
  int refused = 0;
  for (std::size_t size = 0; size < output.cubin.size(); size += 37) {
    const std::string cut = output.cubin.substr(0, size);  // its own allocation, for the address sanitizer
    try {
      parse_cubin(cut);
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 10);
  for (std::size_t at = 0; at < output.cubin.size(); at += 5) {
    std::string changed = output.cubin;
    changed[at] = static_cast<char>(~changed[at]);
    try {
      parse_cubin(changed);
    } catch (const Error&) {
      ++refused;
    }
  }
}
