#include "harness/judge/custom.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/judge/launched.h"

using namespace harness;
using namespace harness::judge;

namespace {

Problem with_custom() {
  Problem problem;
  const json code{{"source", "/plugins/demo/gen.cu"}, {"entry", "fill<float>"}};
  problem.arguments = {drawn("x", Dtype::f32, {3, 100}, "custom", code),
                       tensor(ArgumentKind::output, "o", Dtype::f16, {4})};
  problem.arguments[0].strides = {101, 1};
  problem.arguments[1].compare =
      Compare{"custom", 0, {{"source", "/plugins/demo/compare.cu"}, {"entry", "compare"}, {"threads", 1}}};
  problem.reference.sizes = {"N"};
  problem.reference.size_values = {100};
  return problem;
}

}  // namespace

TEST_CASE("custom code is listed by source and built with its entries") {
  const Problem problem = with_custom();
  REQUIRE(custom_sources(problem) == std::vector<std::string>{"/plugins/demo/compare.cu", "/plugins/demo/gen.cu"});
  const BuildSpec spec = custom_build(problem, "/plugins/demo/gen.cu", "text");
  REQUIRE(spec.entries == std::vector<std::string>{"fill<float>"});
  REQUIRE(spec.source == "text");
  Problem broken = problem;
  broken.arguments[0].gen->options.erase("source");
  REQUIRE_THROWS_AS(custom_sources(broken), Error);
}

TEST_CASE("a custom draw is launched over the argument and lands in the image without its padding") {
  Launched l(with_custom());
  CustomJob job = custom_draw_job(l.problem, l.argument("x"), 9, l.layout, l.before);
  const auto& launch = std::get<Launch>(job.executable.plan.steps.at(0));
  REQUIRE(launch.grid.x == 3);
  REQUIRE(launch.args.size() == 3);
  REQUIRE(std::get<ScalarArgument>(launch.args[1]).value == Value{std::int64_t{9}});
  const auto drawn_bytes = payload(job.executable.layout, "x", std::span(job.image));
  for (int i = 0; i < 302; ++i) store_rounded(Dtype::f32, drawn_bytes.data() + 4 * i, i);
  place_custom_draw(l.argument("x"), job, l.layout, l.after);
  REQUIRE(load_as_double(Dtype::f32, l.unit("x", 100)) == 101);
  const std::int64_t padding = find_buffer(l.layout, "x")->offset + 4 * 100;
  REQUIRE(std::memcmp(l.after.data() + padding, l.before.data() + padding, 4) == 0);
}

TEST_CASE("a custom draw reads the inputs that it is drawn from") {
  Problem problem = with_custom();
  problem.arguments[0].gen->options["of"] = {"q"};
  problem.arguments.push_back(drawn("q", Dtype::f16, {3, 2}, "normal"));
  Launched l(problem);
  store_rounded(Dtype::f16, payload(l.layout, "q", std::span(l.before)).data() + 2 * 5, 7);
  const CustomJob job = custom_draw_job(l.problem, l.argument("x"), 9, l.layout, l.before);
  const auto& args = std::get<Launch>(job.executable.plan.steps.at(0)).args;
  REQUIRE(args.size() == 4);
  REQUIRE(std::get<NamedArgument>(args[0]).name == "q");
  REQUIRE(std::get<NamedArgument>(args[1]).name == "x");
  REQUIRE(load_as_double(Dtype::f16, payload(job.executable.layout, "q", std::span(job.image)).data() + 2 * 5) == 7);
  // A device that drew q anew would leave x as it was drawn from another q.
  REQUIRE_FALSE(find_buffer(l.layout, "q")->draw.has_value());
  l.problem.arguments[0].gen->options["of"] = {"o"};
  REQUIRE_THROWS_AS(custom_draw_job(l.problem, l.argument("x"), 9, l.layout, l.before), Error);
}

TEST_CASE("a custom comparison gets both sides and its verdict becomes a gate") {
  Launched l(with_custom());
  l.compute("o", [](std::int64_t i) { return 0.5 * static_cast<double>(i); });
  REQUIRE(needs_custom_compare(l.problem) == std::vector<std::string>{"o"});
  CustomJob job = custom_compare_job(l.problem, l.argument("o"), l.layout, l.after, l.reference.at("o"));
  const auto part = [&](const std::string& name) { return payload(job.executable.layout, name, std::span(job.image)); };
  REQUIRE(load_as_double(Dtype::f16, part("got").data() + 2 * 3) == 1.5);
  REQUIRE(load_as_double(Dtype::f64, part("reference").data() + 8 * 3) == 1.5);
  REQUIRE(read_custom_compare(job).passed);
  const auto verdict = [&] {
    return judge::judge(l.problem, l.plan, l.layout, l.before, l.after, l.reference, 1,
                        {{"o", read_custom_compare(job)}});
  };
  REQUIRE(verdict().passed());
  store_rounded(Dtype::f64, part("verdict").data(), 2);
  REQUIRE_FALSE(gate(verdict(), "custom:o").passed);
}
