#include "harness/script/catalog/coverage.h"

#include <set>

#include "tests/script/catalog_folder.h"

using namespace harness;
using namespace harness::script;

namespace {

Workload point(bool causal, bool lse, std::int64_t queries, std::int64_t keys) {
  Workload workload;
  workload.values = {{"causal", causal}, {"lse", lse}, {"Sq", queries}, {"Sk", keys}, {"dtype", std::string("f16")}};
  return workload;
}

}  // namespace

TEST_CASE("a point is new while no other had its flags and the order of its sizes together") {
  Coverage coverage;
  coverage.add(point(true, true, 5, 9));
  CHECK(coverage.fresh(point(true, true, 50, 90)) == 0);
  CHECK(coverage.fresh(point(true, true, 9, 5)) == 1);
  CHECK(coverage.fresh(point(true, false, 5, 9)) == 1);
  Workload plain;
  plain.values = {{"N", std::int64_t{5}}};
  CHECK(coverage.fresh(plain) == 1);
  coverage.add(plain);
  CHECK(coverage.fresh(plain) == 0);
}

// A neighbour that compiles to something else is none: few of six widths would be left.
TEST_CASE("neighbours keep the listed numbers that a build names, and others are drawn anew") {
  LuaCatalog catalog({kSource / "kernels"}, {kSource / "kernels/include"}, {"cpu", "cuda"});
  const auto points = [&](const char* kernel, const char* variant, const char* workload, std::uint64_t seed) {
    const Config config = catalog.plugin(kernel).default_config(variant, workload, cpu_device(), {});
    return catalog.plugin(kernel).neighbours({kernel, variant, "", config}, workload, cpu_device(), 8,
                                             seed * 987654321);
  };
  const auto number = [](const Realized& point, const char* name) {
    return std::get<std::int64_t>(point.problem.workload.values.at(name));
  };
  int in_odd_groups = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto found = points("attention", "00_naive", "width_b1h3s40k77d80_f16_causal_lse", seed);
    CHECK(found.size() >= 7);
    for (const Realized& point : found) {
      CHECK(number(point, "D") == 80);
      CHECK(number(point, "Hq") % number(point, "Hkv") == 0);
      const std::int64_t group = number(point, "Hq") / number(point, "Hkv");
      in_odd_groups += (group & (group - 1)) == 0 ? 0 : 1;
    }
  }
  CHECK(in_odd_groups >= 10);

  std::set<std::int64_t> blocks;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    for (const Realized& point : points("paged_gather", "00_naive", "b8l512n128_f16", seed))
      blocks.insert(number(point, "block"));
  CHECK(blocks.size() == 3);
}

// The six flags of a product are compiled in: a neighbour drawn with others would be none.
TEST_CASE("neighbours keep the flags that a build names") {
  LuaCatalog catalog({kSource / "kernels"}, {kSource / "kernels/include"}, {"cpu", "cuda"});
  const char* const workload = "m17n40k80_f16_gate";
  for (const char* variant : {"00_naive", "60_narrow"}) {
    const Config config = catalog.plugin("gemm").default_config(variant, workload, cpu_device(), {});
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const auto found =
          catalog.plugin("gemm").neighbours({"gemm", variant, "", config}, workload, cpu_device(), 8, seed * 987654321);
      CHECK(found.size() >= 6);
      for (const Realized& point : found) {
        const auto flag = [&](const char* name) { return std::get<bool>(point.problem.workload.values.at(name)); };
        CHECK((flag("silu") && flag("other") && !flag("gelu") && !flag("bias") && !flag("residual")));
      }
    }
  }
}

// Inputs are directed by numbers that a candidate compares, and those need not be of the domain.
TEST_CASE("a tiny point with a size that the domain does not have is none") {
  LuaCatalog catalog({kSource / "kernels"}, {kSource / "kernels/include"}, {"cpu", "cuda"});
  const Candidate candidate{"gemm", "00_naive", "", {}};
  const auto tiny = [&](const Config& fixed) {
    return catalog.plugin("gemm").tiny_at(candidate, "m64n64k64", cpu_device(), fixed, 7);
  };
  CHECK_FALSE(tiny({{"lda", std::int64_t{41}}}));  // a multiple of 8 there
  CHECK_FALSE(tiny({{"K", std::int64_t{0}}}));
  REQUIRE(tiny({{"lda", std::int64_t{48}}}));
  CHECK(std::get<std::int64_t>(tiny({{"lda", std::int64_t{48}}})->problem.workload.values.at("lda")) == 48);
}

// A kernel that forgets the rows without keys is wrong only where all three come together.
TEST_CASE("a winner's neighbours have causal masks over more queries than keys with a log-sum-exp") {
  LuaCatalog catalog({kSource / "kernels"}, {kSource / "kernels/include"}, {"cpu", "cuda"});
  const std::string workload = "seed_b1h1s128_f16";
  const Config config = catalog.plugin("attention").default_config("00_naive", workload, cpu_device(), {});
  int with = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const auto points =
        catalog.plugin("attention")
            .neighbours({"attention", "00_naive", "", config}, workload, cpu_device(), 8, seed * 987654321);
    CHECK(points.size() >= 7);
    with += std::ranges::any_of(points, [](const Realized& each) {
      const auto& values = each.problem.workload.values;
      return std::get<bool>(values.at("causal")) && std::get<bool>(values.at("lse")) &&
             std::get<std::int64_t>(values.at("Sq")) > std::get<std::int64_t>(values.at("Sk"));
    });
  }
  CHECK(with >= 20);  // of 30; what a seed draws changes with the domain
}
