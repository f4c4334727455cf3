#include "harness/script/catalog/trace.h"

#include "harness/script/catalog/catalog_kernel.h"
#include "harness/script/contract/arithmetic.h"
#include "tests/script/catalog_folder.h"

using namespace harness;
using namespace harness::script;

namespace {

Scalar computed(Operation operation, std::vector<Scalar> operands) {
  return compute(operation, operands);
}
Scalar whole(std::int64_t value) {
  return value;
}

std::vector<std::string> problems_with(const std::string& from, const std::string& to) {
  PluginFolder folder;
  folder.variant(edited(kGoodVariant, from, to));
  std::vector<std::string> problems = folder.catalog().inspect("scale", cuda_device());
  for (std::string& problem : problems) problem = problem.substr(std::min(problem.find("kernels/"), problem.size()));
  return problems;
}

std::string only_problem_with(const std::string& from, const std::string& to) {
  const auto problems = problems_with(from, to);
  INFO(Catch::Detail::stringify(problems));
  REQUIRE(problems.size() == 1);
  return problems[0];
}

}  // namespace

TEST_CASE("launch arithmetic rounds as Lua does") {
  REQUIRE(computed(Operation::floor_divide, {whole(-7), whole(2)}) == whole(-4));
  REQUIRE(computed(Operation::modulo, {whole(-7), whole(2)}) == whole(1));
  REQUIRE(computed(Operation::modulo, {-7.5, whole(2)}) == Scalar(0.5));
  REQUIRE(computed(Operation::divide, {whole(7), whole(2)}) == Scalar(3.5));
  REQUIRE(computed(Operation::cdiv, {whole(7), whole(2)}) == whole(4));
  REQUIRE(computed(Operation::cdiv, {whole(-7), whole(2)}) == whole(-3));
  REQUIRE(computed(Operation::round_up, {whole(65), whole(64)}) == whole(128));
  REQUIRE(computed(Operation::min, {whole(3), 2.5, whole(4)}) == Scalar(2.5));
  REQUIRE(computed(Operation::select, {false, whole(1), whole(2)}) == whole(2));
  REQUIRE(computed(Operation::eq, {whole(4), 4.0}) == Scalar(true));
  REQUIRE(computed(Operation::none_of, {false, false}) == Scalar(true));
  REQUIRE(computed(Operation::add, {whole(INT64_MAX), whole(1)}) == whole(INT64_MIN));
  REQUIRE(floor_divide(INT64_MIN, -1) == INT64_MIN);
  REQUIRE(floor_modulo(std::int64_t{5}, std::int64_t{-3}) == -1);
}

TEST_CASE("operands that do not fit are refused") {
  REQUIRE_THROWS_AS(computed(Operation::cdiv, {whole(1), whole(0)}), std::domain_error);
  REQUIRE_THROWS_AS(computed(Operation::all_of, {whole(1)}), std::domain_error);
  REQUIRE_THROWS_AS(computed(Operation::lt, {true, whole(1)}), std::domain_error);
  REQUIRE_THROWS_AS(computed(Operation::select, {true, whole(1)}), std::domain_error);
}

TEST_CASE("steps run on symbols become expressions of the sizes") {
  PluginFolder folder;
  LoadedKernel kernel(folder.path() / "scale", {}, {});
  const Config config{{"BLOCK", std::int64_t{64}}, {"VEC", std::int64_t{4}}};
  const Node traced =
      trace_function(kernel.variant("00_naive"), "steps", config, kernel.manifest.workload("small"), cuda_device());
  const Node& launch = traced.list.at(0);
  REQUIRE(launch.kind == "launch");
  REQUIRE(describe(**launch.find("grid")->list.at(0).expression()) == "cdiv(w.N, 256)");
  REQUIRE(launch.find("block")->list.at(0).integer() == 64);
  const ExpressionPtr& size = *launch.find("args")->list.at(3).list.at(0).expression();
  REQUIRE(evaluate(*size, {{"w.N", whole(12)}}) == whole(12));
}

TEST_CASE("a launch with a condition is one of the sizes that it holds for") {
  PluginFolder folder;
  folder.variant(
      edited(edited(kGoodVariant, "launch { entry = \"scale", "launch { when = le(w.N, 1000), entry = \"scale"),
             "i32(w.N) } } }",
             "i32(w.N) } },\n launch { when = lt(1000, w.N), entry = \"other\", grid = { "
             "cdiv(w.N - 1000, 64) }, block = { 64 }, args = { \"x\" } } }"));
  CHECK(folder.catalog().inspect("scale", cuda_device()).empty());
  const Config config{{"BLOCK", std::int64_t{64}}, {"VEC", std::int64_t{4}}};
  const auto entry_on = [&](const std::string& workload) {
    const Plan plan =
        folder.catalog().plugin("scale").realize({"scale", "00_naive", "", config}, workload, cuda_device()).plan;
    REQUIRE(plan.steps.size() == 1);
    return std::get<Launch>(plan.steps[0]).entry;
  };
  CHECK(entry_on("small") == "scale<float,4>");
  CHECK(entry_on("large") == "other");
}

TEST_CASE("expressions read as they stand in a manifest") {
  const ExpressionPtr n = make_symbol("w.N"), two = make_constant(whole(2));
  const ExpressionPtr sum = make_expression(Operation::add, {n, two});
  const ExpressionPtr product = make_expression(Operation::multiply, {sum, make_expression(Operation::negate, {sum})});
  REQUIRE(describe(*product) == "(w.N + 2) * -(w.N + 2)");
  REQUIRE(evaluate(*product, {{"w.N", whole(3)}}) == whole(-25));
}

TEST_CASE("a good variant has no problems") {
  PluginFolder folder;
  REQUIRE(folder.catalog().inspect("scale", cuda_device()).empty());
  REQUIRE(folder.catalog().inspect("scale", cpu_device()).empty());
}

TEST_CASE("comparing a size with < is refused with the line") {
  REQUIRE(only_problem_with("return divisible(w.N, p.VEC)", "return w.N > 2") ==
          "kernels/scale/variants/00_naive.lua:5: a size is compared with < or >; write lt(a, b), and "
          "select(condition, a, b) "
          "for a choice");
  REQUIRE_THAT(only_problem_with("return { launch", "local big = device.multiprocessors <= 4 return { launch"),
               Catch::Contains(":8: a size is compared with <= or >="));
  REQUIRE_THAT(only_problem_with("return divisible(w.N, p.VEC)", "return w.N ~= w.N + 1"),
               Catch::Contains(":5: sizes are compared with =="));
}

TEST_CASE("joining a size to text or using it as a table is refused with the line") {
  REQUIRE_THAT(only_problem_with("\"scale<$dtype,$VEC>\"", "\"scale<\" .. w.N .. \">\""),
               Catch::Contains(":8: a size is joined to text"));
  REQUIRE_THAT(only_problem_with("return { launch", "for i = 1, w.N do end return { launch"), Catch::Contains(":8: "));
}

TEST_CASE("a choice that tracing cannot see is found by comparing with plain runs") {
  REQUIRE(only_problem_with("grid = { cdiv(w.N, p.BLOCK * p.VEC) }", "grid = { w.N == 100 and 7 or 9 }") ==
          "kernels/scale/variants/00_naive.lua:7: steps cannot be traced: with BLOCK=64 VEC=4 on small launch grid[1] "
          "is 7, but "
          "traced it gives 9; choose with select(condition, a, b) and eq, lt, le, not with if, ==, and, or, not");
  REQUIRE_THAT(
      only_problem_with("return divisible(w.N, p.VEC)", "if w.N == 4096 then return p.VEC == 2 end return true"),
      Catch::StartsWith("kernels/scale/variants/00_naive.lua:4: valid cannot be traced: "));
  REQUIRE_THAT(only_problem_with("block = { p.BLOCK }",
                                 "block = { p.BLOCK }, shared = device.multiprocessors == 132 and 4 or 8"),
               Catch::Contains("shared"));
}

TEST_CASE("flags and types may be chosen on with plain Lua") {
  PluginFolder folder;
  folder.variant(edited(kGoodVariant, "block = { p.BLOCK }", "block = { w.dtype == 'f16' and p.BLOCK or 32 }"));
  REQUIRE(folder.catalog().inspect("scale", cuda_device()).empty());
}

TEST_CASE("an expression cannot grow without bound") {
  REQUIRE_THAT(only_problem_with("return { launch", "local n = w.N for i = 1, 100 do n = n + n end return { launch"),
               Catch::Contains("too large for a launcher"));
}

TEST_CASE("inspecting tells of impossible spaces and broken manifests as problems") {
  REQUIRE_THAT(problems_with("return divisible(w.N, p.VEC)", "return eq(w.N, 4096)").at(0),
               Catch::Contains("has no configuration left on workload 'small'"));
  REQUIRE_THAT(problems_with("technique", "techniqeu").at(0), Catch::Contains("did you mean 'technique'?"));
  PluginFolder folder;
  REQUIRE_THROWS_AS(folder.catalog().inspect("nothing", cpu_device()), Error);
}
