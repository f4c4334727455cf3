#include <catch2/catch.hpp>

#include "harness/judge/rows.h"
#include "tests/script/catalog_folder.h"

using namespace harness;

TEST_CASE("points along a size of the shipped kernels are there at a GPU's sizes, and say which rows there are") {
  script::LuaCatalog catalog({std::string(HARNESS_SOURCE_DIR) + "/kernels"},
                             {std::string(HARNESS_SOURCE_DIR) + "/kernels/include"});
  DeviceInfo device = script::cuda_device();
  device.name = "NVIDIA H200";
  device.memory_bytes = 139ll << 30;
  device.l2_bytes = 50 << 20;
  const std::tuple<const char*, const char*, const char*, const char*> cases[] = {
      {"softmax", "10_warp_row", "m4096n1024_f16", "M"},
      {"softmax", "30_registers", "m4096n1024_f32", "M"},
      {"paged_gather", "10_vector", "b64l2048n128_bf16", "B"},
      {"rmsnorm_int8", "10_warp_rows", "decode_bf16", "T"}};
  for (const auto& [kernel, variant, workload, size] : cases) {
    INFO(kernel << " " << variant);
    Candidate candidate{kernel, variant, "", {}};
    candidate.config = catalog.plugin(kernel).default_config(variant, workload, device, {});
    const std::vector<Realized> points = catalog.plugin(kernel).along(candidate, workload, device, size);
    REQUIRE(points.size() > 2);
    std::vector<const Problem*> problems;
    for (const Realized& point : points) problems.push_back(&point.problem);
    const judge::Rows rows = judge::rows_over(size, problems);
    CHECK(rows.outputs.empty() == !rows.why.empty());
  }
}
