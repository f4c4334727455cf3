#include "harness/script/contract/manifest.h"

#include "tests/script/catalog_folder.h"

using namespace harness;
using namespace harness::script;

TEST_CASE("a syntax error names file and line") {
  REQUIRE(kernel_complaint("workloads = {", "workloads = = {") ==
          "kernels/scale/kernel.lua:4: unexpected symbol near '='");
}

TEST_CASE("a file that returns something else says how it must end") {
  PluginFolder folder;
  folder.kernel("return { contract = 1 }");
  REQUIRE(complaint([&] { folder.catalog().kernel("scale"); }) ==
          "kernels/scale/kernel.lua: the file must end with: return kernel { ... }");
}

TEST_CASE("an unknown name is an error with the nearest known one") {
  REQUIRE(variant_complaint("cdiv(", "cdvi(") ==
          "kernels/scale/variants/00_naive.lua:8: unknown name 'cdvi'; did you mean 'cdiv'?");
}

TEST_CASE("a constructor without its table says how it is written") {
  REQUIRE(kernel_complaint("normal {}", "normal(1, 2)") ==
          "kernels/scale/kernel.lua:9: normal takes one table: write normal { ... }");
}

TEST_CASE("a workload field that is not there is named with the nearest one") {
  REQUIRE(variant_complaint("i32(w.N)", "i32(w.n)") ==
          "kernels/scale/variants/00_naive.lua:9: the workload has no 'n'; did you mean 'N'?");
  REQUIRE_THAT(variant_complaint("i32(w.N)", "i32(device.multiprocesors)"),
               Catch::Contains("did you mean 'multiprocessors'?"));
  REQUIRE_THAT(variant_complaint("p.BLOCK *", "p.BLOK *"),
               Catch::Contains("the parameter list has no 'BLOK'; did you mean 'BLOCK'?"));
}

TEST_CASE("what a function is told cannot be changed or iterated") {
  REQUIRE_THAT(variant_complaint("return divisible", "w.N = 1; return divisible"),
               Catch::Contains(":5: the workload is read-only; 'N' cannot be set"));
  REQUIRE_THAT(variant_complaint("return divisible", "rawset(p, 'VEC', 1); return divisible"), Catch::Contains(":5:"));
  REQUIRE_THAT(variant_complaint("return divisible", "for k in pairs(w) do end return divisible"),
               Catch::Contains("the workload cannot be iterated"));
}

TEST_CASE("a list with a hole, a table inside itself and a function as a value are refused") {
  REQUIRE_THAT(variant_complaint("\"x\", \"y\"", "\"x\", nil, \"y\""), Catch::Contains(":8: a list with a hole"));
  REQUIRE_THAT(variant_complaint("return { launch", "local t = {}; t.t = t; return t, { launch"),
               Catch::Contains("nested too deeply"));
  REQUIRE_THAT(variant_complaint("i32(w.N)", "i32(cdiv)"), Catch::Contains("a function where a value belongs"));
}

TEST_CASE("a table that repeats itself without end is refused before it fills memory") {
  REQUIRE_THAT(
      variant_complaint("return { launch", "local t = { 1 }; for i = 1, 22 do t = { t, t, t } end return t, { launch"),
      Catch::Contains("too many values"));
}

TEST_CASE("a manifest that never ends is stopped with its line") {
  REQUIRE_THAT(variant_complaint("return divisible", "while true do end return divisible"),
               Catch::StartsWith("kernels/scale/variants/00_naive.lua:5: "));
  REQUIRE_THAT(kernel_complaint("return kernel", "while true do end return kernel"),
               Catch::StartsWith("kernels/scale/kernel.lua:1: "));
}

TEST_CASE("manifests cannot reach the machine") {
  for (const char* name : {"io", "os", "require", "load", "dofile", "debug", "package"}) {
    REQUIRE_THAT(kernel_complaint("return kernel", std::string("local x = ") + name + " return kernel"),
                 Catch::Contains(std::string("unknown name '") + name + "'"));
  }
}

TEST_CASE("a variant cannot change what its kernel computes") {
  PluginFolder folder;
  const std::string expected = folder.catalog().plugin("scale").problem("small").contract_hash;
  folder.variant("cdiv = function() return 1 end math.min = nil " + kGoodVariant);
  LuaCatalog catalog = folder.catalog();
  catalog.kernel("scale");
  REQUIRE(catalog.plugin("scale").problem("small").contract_hash == expected);
}

TEST_CASE("numbers read from Lua keep their kind and a line of their own") {
  Node whole, real, text;
  whole.leaf = std::int64_t{4};
  real.leaf = 4.5;
  text.leaf = std::string("4");
  REQUIRE(whole.integer() == 4);
  REQUIRE_FALSE(real.integer());
  REQUIRE_FALSE(text.number());
  real.leaf = 4.0;
  REQUIRE(real.integer() == 4);
  REQUIRE(whole.value() == Value(std::int64_t{4}));
}
