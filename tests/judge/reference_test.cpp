#include "harness/judge/reference.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "harness/core/error.h"
#include "tests/judge/launched.h"

using namespace harness;
using namespace harness::judge;

namespace {

Problem every_kind() {
  Problem problem;
  problem.kernel = "demo";
  Argument scalar = tensor(ArgumentKind::scalar, "eps", Dtype::f32, {});
  scalar.value = 0.5;
  Argument view = tensor(ArgumentKind::view, "half", Dtype::f16, {2});
  view.of = "x";
  Argument absent = tensor(ArgumentKind::input, "bias", Dtype::f32, {4});
  absent.absent = true;
  problem.arguments = {tensor(ArgumentKind::input, "x", Dtype::f16, {3, 4}, {6, 1}),
                       tensor(ArgumentKind::inout, "state", Dtype::bf16, {4}),
                       view,
                       tensor(ArgumentKind::output, "o", Dtype::f16, {3, 4}, {5, 1}),
                       tensor(ArgumentKind::output, "big", Dtype::s64, {2}),
                       scalar,
                       absent};
  problem.reference = {"/plugins/demo/reference.cu", "reference<__half>", {"T", "N"}, {3, 4}, 300, {}};
  return problem;
}

}  // namespace

TEST_CASE("the reference is launched with the signature of the contract") {
  const ReferenceJob job = make_reference_job(every_kind(), "text");
  REQUIRE(job.spec.source == "text");
  REQUIRE(job.spec.entries == std::vector<std::string>{"reference<__half>"});
  REQUIRE(job.spec.include_dirs == std::vector<std::string>{"/plugins/demo", "/plugins/include"});
  REQUIRE(job.executable.plan.steps.size() == 1);
  const auto& launch = std::get<Launch>(job.executable.plan.steps[0]);
  REQUIRE(launch.grid == Dim3{3, 1, 1});
  REQUIRE(launch.block == Dim3{128, 1, 1});
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 7; ++i) names.push_back(std::get<NamedArgument>(launch.args.at(i)).name);
  REQUIRE(names == std::vector<std::string>{"x", "state", "state.out", "o", "big", "eps", "bias"});
  REQUIRE(launch.args.size() == 9);
  REQUIRE(std::get<ScalarArgument>(launch.args[7]).dtype == Dtype::s64);
  REQUIRE(std::get<ScalarArgument>(launch.args[8]).value == Value{std::int64_t{4}});
  const Problem& derived = job.executable.problem;
  REQUIRE(find_argument(derived, "o")->dtype == Dtype::f64);
  REQUIRE(find_argument(derived, "state")->dtype == Dtype::bf16);
  REQUIRE(find_argument(derived, "state.out")->dtype == Dtype::f64);
  REQUIRE(find_argument(derived, "big")->dtype == Dtype::s64);
  REQUIRE(find_argument(derived, "bias")->absent);
  REQUIRE(find_argument(derived, "eps")->value == Value{0.5});
  REQUIRE(find_buffer(job.executable.layout, "o")->bytes == 8 * 14);
}

TEST_CASE("a reference that works in place is given what it reads there, and an exact one beside it") {
  Problem problem = every_kind();
  REQUIRE(find_argument(make_reference_job(problem, "").executable.problem, "state.out")->kind == ArgumentKind::output);
  problem.reference.numbers = ReferenceNumbers::wide;
  REQUIRE(find_argument(make_reference_job(problem, "").executable.problem, "state.out")->kind == ArgumentKind::inout);
}

TEST_CASE("inputs are copied to the reference, and what it writes is read in row-major order") {
  const Launched l(every_kind());
  const ReferenceJob job = make_reference_job(l.problem, "");
  auto image = reference_image(l.problem, l.layout, l.before, job);
  const auto part = [&](const std::string& name) { return payload(job.executable.layout, name, std::span(image)); };
  REQUIRE(std::ranges::equal(part("x"), payload(l.layout, "x", std::span<const std::byte>(l.before))));
  REQUIRE(std::ranges::equal(part("state"), payload(l.layout, "state", std::span<const std::byte>(l.before))));
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 4; ++column) {
      store_rounded(Dtype::f64, part("o").data() + 8 * (row * 5 + column), row * 10 + column);
    }
  }
  const std::int64_t big[2] = {(1ll << 60) + 1, -7};
  std::memcpy(part("big").data(), big, 16);
  const ReferenceValues values = read_reference(l.problem, job, image);
  REQUIRE(values.size() == 3);
  REQUIRE(values.at("o").values[5] == 11);
  REQUIRE(values.at("o").values[11] == 23);
  REQUIRE(values.at("o").dtype == Dtype::f16);
  REQUIRE(std::memcmp(values.at("big").raw.data(), big, 16) == 0);
  REQUIRE(std::isnan(values.at("state").values[0]));
}

TEST_CASE("a reference with sizes that have no values is refused") {
  Problem problem = every_kind();
  problem.reference.size_values.pop_back();
  REQUIRE_THROWS_AS(make_reference_job(problem, ""), Error);
}
