#include "harness/core/contract.h"

#include <catch2/catch.hpp>

#include "harness/core/image.h"

using namespace harness;

namespace {
Argument tensor(std::string name, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
  Argument a;
  a.name = std::move(name);
  a.shape = std::move(shape);
  a.strides = std::move(strides);
  return a;
}
}  // namespace

TEST_CASE("a tensor spans from its first to its last element") {
  REQUIRE(span_elements(tensor("x", {3, 4}, {10, 1})) == 24);
  REQUIRE(count_elements(tensor("x", {3, 4}, {10, 1})) == 12);
  REQUIRE(span_elements(tensor("x", {3, 4}, {0, 1})) == 4);
  REQUIRE(span_elements(tensor("x", {3, 0}, {10, 1})) == 0);
  REQUIRE(span_elements(tensor("x", {}, {})) == 1);
  REQUIRE(span_elements(tensor("x", {3, 4}, {})) == 12);
}

TEST_CASE("kinds of arguments are told apart") {
  REQUIRE(is_tensor(ArgumentKind::inout));
  REQUIRE_FALSE(is_tensor(ArgumentKind::view));
  REQUIRE(is_written(ArgumentKind::output));
  REQUIRE_FALSE(is_written(ArgumentKind::input));
}

TEST_CASE("arguments and buffers are found by name") {
  Problem problem;
  problem.arguments = {tensor("x", {1}, {1}), tensor("y", {2}, {1})};
  REQUIRE(find_argument(problem, "y") == &problem.arguments[1]);
  REQUIRE(find_argument(problem, "z") == nullptr);
  ImageLayout layout{64, {{"x", 16, 4, false}}, {}};
  REQUIRE(find_buffer(layout, "x")->offset == 16);
  REQUIRE(find_buffer(layout, "y") == nullptr);
}

TEST_CASE("a problem survives JSON text") {
  Problem problem;
  problem.kernel = "softmax";
  problem.workload.values = {{"T", std::int64_t{64}}, {"dtype", std::string("bf16")}, {"causal", true}};
  problem.arguments = {tensor("x", {3, 4}, {10, 1})};
  problem.arguments[0].gen = Generator{"normal", {{"std", 2.0}}};
  problem.arguments[0].value = Value{0.5};
  problem.work.flops["bf16"] = 12;
  const auto copy = parse_json(json_text(problem)).get<Problem>();
  REQUIRE(json(copy) == json(problem));
  REQUIRE(copy.arguments[0].gen->options["std"] == 2.0);
  REQUIRE_FALSE(copy.arguments[0].compare.has_value());
  REQUIRE(copy.workload.values.at("causal") == Value{true});
}
