#include "harness/script/space.h"

#include "tests/script/catalog_folder.h"

using namespace harness;
using namespace harness::script;

namespace {

std::string space_complaint(const std::string& from, const std::string& to) {
  PluginFolder folder;
  folder.variant(edited(kGoodVariant, from, to));
  return complaint([&] { folder.catalog().space("scale", "00_naive", "small", cpu_device()); });
}

}  // namespace

TEST_CASE("a space holds every point that the constraint allows, in declared order") {
  PluginFolder folder;
  folder.variant(edited(kGoodVariant, "divisible(w.N, p.VEC)", "divisible(w.N, p.VEC) and p.BLOCK + p.VEC ~= 68"));
  const Space space = folder.catalog().space("scale", "00_naive", "small", cpu_device());
  REQUIRE(space.parameters.size() == 2);
  REQUIRE(space.parameters[0].name == "BLOCK");
  std::string points;
  for (std::size_t i = 0; i < space.points.size(); ++i) points += to_text(configuration(space, i)) + "; ";
  REQUIRE(points == "BLOCK=64 VEC=2; BLOCK=128 VEC=4; BLOCK=128 VEC=2; BLOCK=256 VEC=4; BLOCK=256 VEC=2; ");
}

TEST_CASE("a variant without parameters has one configuration") {
  LuaCatalog catalog({kSource / "tests/fixtures/kernels"}, {});
  const Space space = catalog.space("experts", "00_one_thread", "small", cpu_device());
  REQUIRE(space.points.size() == 1);
  REQUIRE(configuration(space, 0).empty());
}

TEST_CASE("a constraint sees the device") {
  PluginFolder folder;
  folder.variant(edited(kGoodVariant, "divisible(w.N, p.VEC)", "le(p.BLOCK, device.multiprocessors)"));
  LuaCatalog catalog = folder.catalog();
  REQUIRE(catalog.space("scale", "00_naive", "small", cuda_device()).points.size() == 4);
  REQUIRE_THROWS_AS(catalog.space("scale", "00_naive", "small", cpu_device()), Error);
}

TEST_CASE("an impossible space names the parameter whose values are all excluded") {
  REQUIRE(space_complaint("divisible(w.N, p.VEC)", "divisible(w.N, p.VEC) and p.BLOCK <= 32") ==
          "kernels/scale/variants/00_naive.lua:4: parameter 'BLOCK' has no value left on workload 'small' after the "
          "constraint "
          "of variant '00_naive'; add a value such as 1");
  REQUIRE_THAT(space_complaint("divisible(w.N, p.VEC)", "all_of(divisible(w.N, p.VEC), le(512, p.BLOCK))"),
               Catch::Contains("parameter 'BLOCK' has no value left") && Catch::Contains("such as 512"));
}

TEST_CASE("an impossible space that no single parameter could mend names variant and workload") {
  REQUIRE(space_complaint("divisible(w.N, p.VEC)", "w.N > 1000") ==
          "kernels/scale/variants/00_naive.lua:4: variant '00_naive' has no configuration left on workload 'small' "
          "after its "
          "constraint; add parameter values or loosen the constraint");
}

TEST_CASE("a constraint that raises names file and line") {
  REQUIRE_THAT(space_complaint("divisible(w.N, p.VEC)", "p.VEC < nil"),
               Catch::StartsWith("kernels/scale/variants/00_naive.lua:5: "));
  REQUIRE(space_complaint("divisible(w.N, p.VEC)", "divisible(w.N, 0)") ==
          "kernels/scale/variants/00_naive.lua:5: divisible divides by zero");
  REQUIRE_THAT(space_complaint("divisible(w.N, p.VEC)", "nil"),
               Catch::Contains(":4: valid must return true or false, not nil"));
}

TEST_CASE("too many raw points are refused") {
  std::string values;
  for (int i = 0; i < 1000; ++i) values += std::to_string(i) + ",";
  REQUIRE_THAT(space_complaint("{ 64, 128, 256 }, bind = \"launch\" }",
                               "{" + values + "}, bind = \"launch\" }, M = { values = {" + values +
                                   "}, bind = \"define\" }, L = { values = { 1, 2, 3 }, bind = \"define\" }"),
               Catch::Contains("more than 2000000 points"));
}

TEST_CASE("a constraint on many points is asked for each of them") {
  PluginFolder folder;
  std::string values;
  for (int i = 1; i <= 200; ++i) values += std::to_string(i) + ",";
  folder.variant(edited(edited(kGoodVariant, "{ 64, 128, 256 }", "{" + values + "}"), "{ 4, 2 }", "{" + values + "}"));
  const Space space = folder.catalog().space("scale", "00_naive", "small", cpu_device());
  REQUIRE(space.points.size() == 200 * 9);  // the divisors of 100
}

TEST_CASE("the default configuration is the first valid one and given values override it") {
  PluginFolder folder;
  LuaCatalog catalog = folder.catalog();
  const auto chosen = [&](const Config& given) {
    return to_text(catalog.default_config("scale", "00_naive", "small", cpu_device(), given));
  };
  REQUIRE(chosen({}) == "BLOCK=64 VEC=4");
  REQUIRE(chosen({{"BLOCK", std::int64_t{256}}}) == "BLOCK=256 VEC=4");
  REQUIRE(chosen({{"VEC", 2.0}}) == "BLOCK=64 VEC=2");
}

TEST_CASE("an unknown parameter and a value outside its list are refused with what there is") {
  PluginFolder folder;
  LuaCatalog catalog = folder.catalog();
  const auto refused = [&](const Config& given) {
    return complaint([&] { catalog.default_config("scale", "00_naive", "small", cpu_device(), given); });
  };
  REQUIRE(refused({{"BLOKC", std::int64_t{64}}}) ==
          "kernels/scale/variants/00_naive.lua: the variant has no parameter 'BLOKC'; did you mean 'BLOCK'?");
  REQUIRE_THAT(refused({{"BLOCK", std::int64_t{65}}}),
               Catch::Contains("parameter 'BLOCK' has no value 65; its values are: 64, 128, 256"));
  REQUIRE_THAT(refused({{"BLOCK", std::string("64")}}), Catch::Contains("has no value 64"));
}

TEST_CASE("given values that the constraint refuses say so") {
  PluginFolder folder;
  folder.variant(edited(kGoodVariant, "divisible(w.N, p.VEC)", "p.VEC == 2"));
  LuaCatalog catalog = folder.catalog();
  REQUIRE_THAT(complaint([&] {
                 catalog.default_config("scale", "00_naive", "small", cpu_device(), {{"VEC", std::int64_t{4}}});
               }),
               Catch::Contains(
                   "no configuration with VEC=4 satisfies the constraint of variant '00_naive' on workload 'small'"));
}
