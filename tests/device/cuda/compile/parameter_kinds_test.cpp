#include "harness/device/cuda/compile/parameter_kinds.h"

#include <catch2/catch.hpp>

using namespace harness;
using harness::cuda::parameter_kinds;

TEST_CASE("PTX tells floats, integers and pointers of an entry apart") {
  const auto kinds = parameter_kinds(
      ".visible .entry k(\n\t.param .u64 .ptr .align 1 k_param_0,\n\t.param .f32 k_param_1,\n\t.param .u32 k_param_2,\n"
      "\t.param .align 8 .b8 k_param_3[16], // a structure\n\t.param .b16 k_param_4\n)\n.maxntid 128, 1, 1\n{ ret; }\n"
      ".entry empty()\n{ ret; }\n");
  using enum ParameterKind;
  CHECK(kinds.at("k") == std::vector<ParameterKind>{pointer, floating, integer, unknown, unknown});
  CHECK(kinds.at("empty").empty());
  CHECK(kinds.size() == 2);
  CHECK(parameter_kinds(".entry k(.param .f32 ").at("k").empty());
  CHECK(parameter_kinds("entry").empty());
}
