#include "harness/script/space/space.h"

#include <algorithm>

#include "tests/script/catalog_folder.h"
#include "tests/support/ten_constraints.h"
#include "tests/support/turns.h"

using namespace harness;
using namespace harness::script;

namespace {

std::string space_complaint(const std::string& from, const std::string& to) {
  PluginFolder folder;
  folder.variant(edited(kGoodVariant, from, to));
  return complaint([&] { folder.catalog().plugin("scale").space("00_naive", "small", cpu_device()); });
}

}  // namespace

TEST_CASE("a space holds every point that the constraint allows, in declared order") {
  PluginFolder folder;
  folder.variant(edited(kGoodVariant, "divisible(w.N, p.VEC)", "divisible(w.N, p.VEC) and p.BLOCK + p.VEC ~= 68"));
  const Space space = folder.catalog().plugin("scale").space("00_naive", "small", cpu_device());
  REQUIRE(space.parameters.size() == 2);
  REQUIRE(space.parameters[0].name == "BLOCK");
  std::string points;
  for (std::size_t i = 0; i < space.points.size(); ++i) points += to_text(configuration(space, i)) + "; ";
  REQUIRE(points == "BLOCK=64 VEC=2; BLOCK=128 VEC=4; BLOCK=128 VEC=2; BLOCK=256 VEC=4; BLOCK=256 VEC=2; ");
}

TEST_CASE("a variant without parameters has one configuration") {
  LuaCatalog catalog({kSource / "tests/fixtures/kernels"}, {});
  const Space space = catalog.plugin("experts").space("00_one_thread", "small", cpu_device());
  REQUIRE(space.points.size() == 1);
  REQUIRE(configuration(space, 0).empty());
}

TEST_CASE("a constraint sees the device") {
  PluginFolder folder;
  folder.variant(edited(kGoodVariant, "divisible(w.N, p.VEC)", "le(p.BLOCK, device.multiprocessors)"));
  LuaCatalog catalog = folder.catalog();
  REQUIRE(catalog.plugin("scale").space("00_naive", "small", cuda_device()).points.size() == 4);
  REQUIRE_THROWS_AS(catalog.plugin("scale").space("00_naive", "small", cpu_device()), Error);
}

TEST_CASE("an impossible space names the parameter whose values are all excluded") {
  REQUIRE(space_complaint("divisible(w.N, p.VEC)", "divisible(w.N, p.VEC) and p.BLOCK <= 32") ==
          "kernels/scale/variants/00_naive.lua:4: parameter 'BLOCK' has no value left on workload 'small' after the "
          "constraint "
          "of variant '00_naive'; add a value such as 1");
  REQUIRE_THAT(space_complaint("divisible(w.N, p.VEC)", "all_of(divisible(w.N, p.VEC), le(512, p.BLOCK))"),
               Catch::Contains("parameter 'BLOCK' has no value left") && Catch::Contains("such as 512"));
}

TEST_CASE("a variant that cannot do a workload has no configuration there, which only a baseline must have") {
  PluginFolder folder;
  folder.write("scale/variants/10_odd.lua", edited(kGoodVariant, "divisible(w.N, p.VEC)", "eq(w.N, 4096)"));
  folder.write("scale/variants/10_odd.cu", "// nothing\n");
  LuaCatalog catalog = folder.catalog();
  CHECK_FALSE(catalog.plugin("scale").has_configuration("10_odd", "small", cpu_device()));
  CHECK(catalog.plugin("scale").space("10_odd", "small", cpu_device()).points.empty());
  CHECK_THROWS_AS(catalog.plugin("scale").default_config("10_odd", "small", cpu_device(), {}), Error);
  CHECK(catalog.plugin("scale").has_configuration("00_naive", "small", cpu_device()));
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

namespace {

const std::string kConstrained = std::string("return variant { technique = \"naive\",") +
                                 harness::tests::kTenConstraints + R"(  steps = function(p, w, device)
    return { launch { entry = "scale<$dtype,2>", grid = { w.N }, block = { 32 }, args = { "x", "y", "a", i32(w.N) } } }
  end,
}
)";

bool ten_constraints(const Config& c) {
  const auto p = [&](const char* name) { return std::get<std::int64_t>(c.at(name)); };
  const std::int64_t threads = p("BM") / p("TM") * (p("BN") / p("TN"));
  return p("BM") % p("TM") == 0 && p("BN") % p("TN") == 0 && threads <= 1024 && threads % 32 == 0 &&
         p("TM") * p("TN") <= 64 && p("BK") % p("VEC") == 0 &&
         (p("BM") + p("BN")) * p("BK") * 4 * p("STAGES") <= 98304 && p("BK") % p("UNROLL") == 0 &&
         p("SPLIT") * p("BK") <= 512 && (p("SWIZZLE") == 0 || p("VEC") > 1);
}

/// All points of the product that `allowed` lets through, by counting: the last parameter varies fastest.
std::vector<std::vector<std::uint16_t>> by_brute_force(const std::vector<Parameter>& parameters) {
  std::vector<std::vector<std::uint16_t>> points;
  std::vector<std::uint16_t> at(parameters.size(), 0);
  for (;;) {
    Config config;
    for (std::size_t p = 0; p < at.size(); ++p) config[parameters[p].name] = parameters[p].values[at[p]];
    if (ten_constraints(config)) points.push_back(at);
    std::size_t p = at.size();
    while (p > 0 && ++at[p - 1] == parameters[p - 1].values.size()) at[--p] = 0;
    if (p == 0) return points;
  }
}

}  // namespace

TEST_CASE("a space of ten constraints is what brute force finds, in the same order") {
  PluginFolder folder;
  std::string smaller = kConstrained;  // brute force in the test takes its time
  for (const auto& [from, to] : std::vector<std::pair<std::string, std::string>>{
           {"{ 16, 32, 48, 64, 96, 128, 192, 256 }", "{ 16, 48, 128 }"},
           {"{ 16, 32, 48, 64, 96, 128, 192, 256 }", "{ 32, 96 }"},
           {"{ 1, 2, 4, 8, 16 }, bind = \"define\" },\n    UNROLL", "{ 1, 8 }, bind = \"define\" },\n    UNROLL"}})
    smaller = edited(smaller, from, to);
  folder.variant(smaller);
  const Space space = folder.catalog().plugin("scale").space("00_naive", "small", cpu_device());
  CHECK(space.listed());
  CHECK(space.points.size() > 1000);
  CHECK(space.points == by_brute_force(space.parameters));
}

TEST_CASE("a million valid points of a larger product are listed") {
  if (tests::is_nightly()) return;
  PluginFolder folder;
  folder.variant(kConstrained);
  const Space space = folder.catalog().plugin("scale").space("00_naive", "small", cpu_device());
  REQUIRE(space.listed());
  CHECK(space.points.size() > 1'000'000);
  CHECK(std::is_sorted(space.points.begin(), space.points.end()));
  for (std::size_t i = 0; i < space.points.size(); i += 1009)
    if (!ten_constraints(configuration(space, i))) FAIL("not allowed: " + to_text(configuration(space, i)));
}

TEST_CASE("a product of a billion points is listed where its constraints leave few") {
  PluginFolder folder;
  std::string values;
  for (int i = 1; i <= 1000; ++i) values += std::to_string(i) + ",";
  const std::string third = "}, M = { values = {" + values + "}, bind = \"define\" } },";
  std::string text = edited(kGoodVariant, "{ 64, 128, 256 }", "{" + values + "}");
  text = edited(text, "{ 4, 2 }", "{" + values + "}");
  text = edited(text, "} },\n  valid", third + "\n  valid");
  folder.variant(edited(text, "divisible(w.N, p.VEC)", "p.VEC == 3 * p.BLOCK and p.M == p.VEC + 1"));
  const Space space = folder.catalog().plugin("scale").space("00_naive", "small", cpu_device());
  CHECK(space.listed());
  CHECK(space.points.size() == 333);
}

TEST_CASE("a space that is too large to list is sampled, and asked about point by point") {
  PluginFolder folder;
  std::string values;
  for (int i = 1; i <= 1000; ++i) values += std::to_string(i) + ",";
  const std::string third = "}, M = { values = {" + values + "}, bind = \"define\" } },";
  std::string text = edited(kGoodVariant, "{ 64, 128, 256 }", "{" + values + "}");
  text = edited(text, "{ 4, 2 }", "{" + values + "}");
  text = edited(text, "} },\n  valid", third + "\n  valid");
  folder.variant(edited(text, "divisible(w.N, p.VEC)", "p.VEC ~= 1 and p.BLOCK % 2 == 0"));
  LuaCatalog catalog = folder.catalog();
  const Space space = catalog.plugin("scale").space("00_naive", "small", cpu_device());
  REQUIRE_FALSE(space.listed());
  CHECK(to_text(configuration(space, 0)) == "BLOCK=2 M=1 VEC=2");
  CHECK(space.points.size() > 32);
  CHECK(space.rest->allows({1, 0, 1}));
  CHECK_FALSE(space.rest->allows({1, 0, 0}));
  CHECK_FALSE(space.rest->allows({0, 0, 1}));
  std::uint64_t state = 1;
  const auto below = [&](std::uint64_t count) {
    return (state = state * 6364136223846793005 + 1442695040888963407) % count;
  };
  for (int i = 0; i < 50; ++i) {
    const auto drawn = space.rest->draw(below);
    REQUIRE(drawn);
    CHECK(space.rest->allows(*drawn));
  }
}

TEST_CASE("a constraint on many points is asked for each of them") {
  PluginFolder folder;
  std::string values;
  for (int i = 1; i <= 200; ++i) values += std::to_string(i) + ",";
  folder.variant(edited(edited(kGoodVariant, "{ 64, 128, 256 }", "{" + values + "}"), "{ 4, 2 }", "{" + values + "}"));
  const Space space = folder.catalog().plugin("scale").space("00_naive", "small", cpu_device());
  REQUIRE(space.points.size() == 200 * 9);  // the divisors of 100
}

TEST_CASE("the default configuration is the first valid one and given values override it") {
  PluginFolder folder;
  LuaCatalog catalog = folder.catalog();
  const auto chosen = [&](const Config& given) {
    return to_text(catalog.plugin("scale").default_config("00_naive", "small", cpu_device(), given));
  };
  REQUIRE(chosen({}) == "BLOCK=64 VEC=4");
  REQUIRE(chosen({{"BLOCK", std::int64_t{256}}}) == "BLOCK=256 VEC=4");
  REQUIRE(chosen({{"VEC", 2.0}}) == "BLOCK=64 VEC=2");
}

TEST_CASE("a variant may say which configurations it would try first") {
  PluginFolder folder;
  const std::string starts =
      "} },\n  start = { { BLOCK = 256, VEC = 1 }, { BLOCK = 128 }, { BLOCK = 256 }, { VEC = 4, BLOCK = 128 } },\n  "
      "valid";
  std::string text = edited(kGoodVariant, "{ 4, 2 }", "{ 4, 2, 1 }");
  folder.variant(edited(edited(text, "} },\n  valid", starts), "divisible(w.N, p.VEC)", "p.VEC > 1"));
  LuaCatalog catalog = folder.catalog();
  const auto chosen = [&](const Config& given) {
    return to_text(catalog.plugin("scale").default_config("00_naive", "small", cpu_device(), given));
  };
  CHECK(chosen({}) == "BLOCK=128 VEC=4");  // the favourite is not valid here
  CHECK(chosen({{"VEC", std::int64_t{2}}}) == "BLOCK=256 VEC=2");
  CHECK(chosen({{"BLOCK", std::int64_t{64}}}) == "BLOCK=64 VEC=4");
  const Space space = catalog.plugin("scale").space("00_naive", "small", cpu_device());
  CHECK(to_text(configuration(space, space.start)) == "BLOCK=128 VEC=4");
  CHECK(to_text(configuration(space, 0)) == "BLOCK=64 VEC=4");
  REQUIRE(space.later_starts.size() == 1);  // the last one is the first valid one again
  CHECK(to_text(configuration(space, space.later_starts[0])) == "BLOCK=256 VEC=4");
}

TEST_CASE("what a variant would try first may depend on the workload") {
  PluginFolder folder;
  const std::string start = "start = function(w) return { { BLOCK = w.N > 1000 and 256 or 128 } } end";
  folder.variant(edited(kGoodVariant, "} },\n  valid", "} },\n  " + start + ",\n  valid"));
  LuaCatalog catalog = folder.catalog();
  const auto chosen = [&](const std::string& workload) {
    return to_text(catalog.plugin("scale").default_config("00_naive", workload, cpu_device(), {}));
  };
  CHECK(chosen("small") == "BLOCK=128 VEC=4");
  CHECK(chosen("large") == "BLOCK=256 VEC=4");
}

TEST_CASE("a start that is no configuration is refused") {
  const auto refused = [](const std::string& start) {
    PluginFolder folder;
    folder.variant(edited(kGoodVariant, "} },\n  valid", "} },\n  start = " + start + ",\n  valid"));
    return complaint([&] { folder.catalog().kernel("scale"); });
  };
  CHECK_THAT(refused("{ { BLOKC = 64 } }"), Catch::Contains("no parameter 'BLOKC'; did you mean 'BLOCK'?"));
  CHECK_THAT(refused("{ { BLOCK = 65 } }"),
             Catch::Contains("parameter 'BLOCK' has no value 65; its values are: 64, 128, 256"));
  CHECK_THAT(refused("{ BLOCK = 64 }"), Catch::Contains("a list of { NAME = value, ... }"));
}

TEST_CASE("an unknown parameter and a value outside its list are refused with what there is") {
  PluginFolder folder;
  LuaCatalog catalog = folder.catalog();
  const auto refused = [&](const Config& given) {
    return complaint([&] { catalog.plugin("scale").default_config("00_naive", "small", cpu_device(), given); });
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
                 catalog.plugin("scale").default_config("00_naive", "small", cpu_device(), {{"VEC", std::int64_t{4}}});
               }),
               Catch::Contains(
                   "no configuration with VEC=4 satisfies the constraint of variant '00_naive' on workload 'small'"));
}
