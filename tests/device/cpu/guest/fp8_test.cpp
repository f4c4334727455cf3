#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "harness/core/dtype.h"
#include "tests/device/cpu/fixture.h"

namespace harness::test {
namespace {

const char* const kFp8Source = R"(
#include <cuda_fp8.h>

template <typename T> __global__ void both(const float* in, unsigned char* out, float* back, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = T(in[i]).__x;
  if (i < 256) {
    T value;
    value.__x = static_cast<unsigned char>(i);
    back[i] = float(value);
  }
}
)";

/// Values, midpoints and their neighbours, also beyond both types' largest.
std::vector<float> hard_floats() {
  std::vector<float> values = {0.0f, -0.0f, 448, 464, 465, 57344, 61440, 61439, 1e30f, -1e30f};
  for (int exponent = -20; exponent < 16; ++exponent)
    for (int k = 32; k < 64; ++k)
      for (const float v : {std::ldexp(k / 32.0f, exponent), -std::ldexp(k / 32.0f, exponent)})
        for (const float near : {v, std::nextafter(v, 1e9f), std::nextafter(v, -1e9f)}) values.push_back(near);
  return values;
}

void check(const std::string& type, Dtype dtype, double largest) {
  static const Artifact artifact = build_artifact(kFp8Source, {"both<__nv_fp8_e4m3>", "both<__nv_fp8_e5m2>"});
  const std::vector<float> in = hard_floats();
  Bench bench(artifact);
  bench.buffer("in", in).buffer("out", std::vector<unsigned char>(in.size())).buffer("back", std::vector<float>(256));
  bench.run("both<" + type + ">", {64}, {128},
            {named("in"), named("out"), named("back"), i32(static_cast<std::int64_t>(in.size()))});
  const auto out = bench.read<unsigned char>("out");
  const auto back = bench.read<float>("back");
  for (std::size_t i = 0; i < in.size(); ++i) {
    unsigned char expected = 0;
    store_rounded(dtype, &expected, std::clamp<double>(in[i], -largest, largest));
    if (out[i] != expected) FAIL_CHECK(type << " of " << in[i] << " is " << int{out[i]} << ", not " << int{expected});
  }
  for (int code = 0; code < 256; ++code) {
    const auto bits = static_cast<unsigned char>(code);
    const double expected = load_as_double(dtype, &bits);
    if (std::isnan(expected)) CHECK(std::isnan(back[code]));
    else CHECK(back[code] == expected);
  }
}

}  // namespace

TEST_CASE("e4m3 is rounded to nearest even, saturates and reads back") {
  check("__nv_fp8_e4m3", Dtype::e4m3, 448);
}

TEST_CASE("e5m2 is rounded to nearest even, saturates and reads back") {
  check("__nv_fp8_e5m2", Dtype::e5m2, 57344);
}

}  // namespace harness::test
