#include "harness/device/cuda/cuda_kind.h"

#include <catch2/catch.hpp>
#include <cstdlib>

using namespace harness::cuda;

TEST_CASE("two processes that number the GPUs differently mean the same one") {
  const CudaKind kind;
  setenv("CUDA_VISIBLE_DEVICES", "3,GPU-ab/../c", 1);
  CHECK(kind.identity("cuda:0") == "cuda:3");
  CHECK(kind.identity("cuda:1") == "cuda:GPU-ab/../c");
  unsetenv("CUDA_VISIBLE_DEVICES");
  CHECK(kind.identity("cuda:3") == "cuda:3");
}

TEST_CASE("an architecture is described without a GPU, and one of another vendor is not") {
  const CudaKind kind;
  const auto known = kind.describe_architecture("sm_90a");
  REQUIRE(known);
  CHECK(known->compute_capability == 90);
  CHECK_FALSE(known->available);
  CHECK_FALSE(kind.describe_architecture("gfx942"));
}
