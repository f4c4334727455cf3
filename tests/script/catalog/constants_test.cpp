#include <catch2/catch.hpp>

#include "tests/script/catalog_folder.h"

using namespace harness;
using namespace harness::script;

namespace {

std::string with_constants(const std::string& entries) {
  return "technique = \"naive\", constants = { " + entries + " },";
}

std::string constants_complaint(const std::string& entries) {
  return variant_complaint("technique = \"naive\",", with_constants(entries));
}

}  // namespace

TEST_CASE("a variant names the __constant__ variables that are filled, and from what") {
  const PluginFolder folder;
  folder.variant(edited(kGoodVariant, "technique = \"naive\",",
                        with_constants("{ \"ns::table\", from = \"x\" }, { \"factor\", from = \"a\" }")));
  LuaCatalog catalog = folder.catalog();
  const Config config = catalog.plugin("scale").default_config("00_naive", "small", cpu_device(), {});
  const Realized made = catalog.plugin("scale").realize({"scale", "00_naive", "", config}, "small", cpu_device());
  CHECK(made.plan.constants == std::vector<ConstantTable>{{"ns::table", "x"}, {"factor", "a"}});
  CHECK(made.build.constants == std::vector<std::string>{"ns::table", "factor"});
}

TEST_CASE("constants that cannot be filled are errors with the line") {
  CHECK_THAT(constants_complaint("{ \"t\", from = \"z\" }"),
             Catch::Contains("is filled from 'z', which is no argument"));
  CHECK_THAT(
      constants_complaint("{ \"t\", from = \"y\" }"),
      Catch::Contains("is filled from 'y', which is output; only an input, a scalar or a structure can fill it"));
  CHECK_THAT(constants_complaint("{ \"t[3]\", from = \"x\" }"),
             Catch::Contains("has the name 't[3]'; write it as the device code does: table, or ns::table"));
  CHECK_THAT(constants_complaint("{ \"t\", from = \"x\" }, { \"t\", from = \"a\" }"),
             Catch::Contains("fills 't' a second time"));
  CHECK_THAT(constants_complaint("{ \"t\" }"), Catch::Contains("from"));
  CHECK_THAT(constants_complaint("\"t\""), Catch::Contains("constants"));
  CHECK_THAT(kernel_complaint("threads = \"N\" },", "threads = \"N\", constants = { { \"t\", from = \"b\" } } },"),
             Catch::Contains("is filled from 'b', which is no argument"));
}
