#include <array>
#include <catch2/catch.hpp>

#include "harness/adopt/host/expression.h"
#include "harness/adopt/observe/fit.h"

using namespace harness;
using namespace harness::adopt;

namespace {

std::string lua_of(const std::string& text) {
  const FormulaPtr formula = read_formula(tokens_of(text), {});
  return formula ? as_lua(*formula, [](const std::string& symbol) { return symbol; }) : "none";
}

std::vector<FitPoint> points(const std::function<std::int64_t(std::int64_t, std::int64_t)>& elements) {
  std::vector<FitPoint> all;
  for (const auto& [m, n] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{3, 7}, {11, 5}, {2, 64}, {33, 10}, {17, 40}})
    all.push_back({{{"M", m}, {"N", n}}, elements(m, n)});
  return all;
}

std::string shape_of(const std::vector<FitPoint>& points) {
  const auto found = fit(points, {"M", "N"}, {});
  if (!found) return "none";
  std::string text;
  for (const FormulaPtr& each : found->shape)
    text += (text.empty() ? "" : ", ") + as_lua(*each, [](const std::string& symbol) { return symbol; });
  return text;
}

}  // namespace

TEST_CASE("launch arithmetic of C++ is read as a manifest writes it") {
  CHECK(lua_of("(n + 255) / 256") == "cdiv(n, 256)");
  CHECK(lua_of("(n + threads - 1) / threads") == "cdiv(n, threads)");
  CHECK(lua_of("(n - 1 + 4 * 8) / 32") == "cdiv(n, 32)");
  CHECK(lua_of("n / 256 + (n % 256 > 0)") == "cdiv(n, 256)");
  CHECK(lua_of("n / 256 + (n % 128 > 0)") != "cdiv(n, 256)");
  CHECK(lua_of("(n + 255) / 128") == "(n + 255) // 128");
  CHECK(lua_of("(int)ceil((float)n / 64)") == "cdiv(n, 64)");
  CHECK(lua_of("static_cast<int>(x.size(0)) * 2") == "x.size(0) * 2");
  CHECK(lua_of("n > 1024 ? 1024 : n") == "select(lt(1024, n), 1024, n)");
  CHECK(lua_of("std::min<int>(n, 512)") == "min(n, 512)");
  CHECK(lua_of("std::min(THCCeilDiv((long)n, 512L), 4096L)") == "min(cdiv(n, 512), 4096)");
  CHECK(lua_of("1 << 10") == "1024");
  CHECK(lua_of("256 * sizeof(float)") == "1024");
  CHECK(lua_of("n * (-7 / 2)") == "n * -3");
  CHECK(lua_of("n * (-7 % 2)") == "n * -1");
  CHECK(lua_of("n +") == "none");
}

TEST_CASE("a number of elements is told from sizes by the simplest formula") {
  CHECK(shape_of(points([](auto m, auto n) { return m * n; })) == "M, N");
  CHECK(shape_of(points([](auto, auto n) { return n; })) == "N");
  CHECK(shape_of(points([](auto, auto) { return 256; })) == "256");
  CHECK(shape_of(points([](auto m, auto n) { return 3 * m * n; })) == "M, N, 3");
  CHECK(shape_of(points([](auto m, auto) { return m + 1; })) == "M + 1");
  CHECK(shape_of(points([](auto, auto n) { return (n + 31) / 32; })) == "cdiv(N, 32)");
  CHECK(shape_of(points([](auto m, auto n) { return m + n; })) == "M + N");
  CHECK(shape_of(points([](auto m, auto n) { return m % 2 == 0 ? n : m; })) == "none");
}

TEST_CASE("products of sizes that no number holds are no formulas") {
  std::vector<FitPoint> seen;
  for (std::int64_t n = 0; n < 4; ++n) seen.push_back({{{"M", std::int64_t{1} << (30 + n)}, {"N", 4 + n}}, 4 + n});
  const auto found = fit(seen, {"M", "N"}, {});
  REQUIRE(found);
  CHECK(as_lua(*found->shape.at(0), [](const std::string& symbol) { return symbol; }) == "N");
}

TEST_CASE("a product of two sizes is one extent where one of them would stand twice") {
  const auto product = [](const char* a, const char* b) { return formula(Op::multiply, {symbol(a), symbol(b)}); };
  const auto shape = [&](auto elements) {
    std::vector<FitPoint> seen;
    const std::vector<std::array<std::int64_t, 4>> sizes{
        {3, 4, 5, 2}, {4, 7, 3, 3}, {2, 5, 9, 4}, {5, 3, 4, 7}, {6, 2, 11, 5}};
    for (const auto& [n, h, w, scale] : sizes)
      seen.push_back({{{"n", n}, {"h", h}, {"w", w}, {"scale", scale}}, elements(n, h, w, scale)});
    const auto found =
        fit(seen, {"n", "h", "w", "scale"}, {}, {product("w", "scale"), product("h", "scale"), product("h", "w")});
    std::string text;
    if (found)
      for (const FormulaPtr& each : found->shape)
        text += as_lua(*each, [](const std::string& symbol) { return symbol; }) + "; ";
    return text;
  };
  CHECK(shape([](auto n, auto h, auto w, auto scale) { return n * h * scale * w * scale; }) ==
        "n; h * scale; w * scale; ");
  CHECK(shape([](auto n, auto h, auto w, auto) { return n * h * w; }) == "n; h; w; ");
  CHECK(shape([](auto n, auto h, auto, auto scale) { return n * h * scale; }) == "n; h; scale; ");
}

TEST_CASE("rows that lie further apart than they are long have a stride") {
  std::vector<FitPoint> all;
  for (const auto& [m, n, ld] :
       std::vector<std::array<std::int64_t, 3>>{{3, 7, 9}, {11, 5, 20}, {2, 64, 71}, {33, 10, 12}})
    all.push_back({{{"M", m}, {"N", n}, {"ld", ld}}, (m - 1) * ld + n});
  const auto found = fit(all, {"M", "N", "ld"}, {});
  REQUIRE(found);
  REQUIRE(found->strides.size() == 2);
  CHECK(found->shape[1]->symbol == "N");
  CHECK(found->strides[0]->symbol == "ld");
}

TEST_CASE("of rows that lie a size apart a few elements, or half of another size") {
  const auto few = fit(points([](auto m, auto n) { return (m - 1) * n + 3; }), {"M", "N"}, {});
  REQUIRE(few);
  CHECK(few->shape[1]->number == 3);
  CHECK(few->strides.at(0)->symbol == "N");
  std::vector<FitPoint> halves = points([](auto m, auto n) { return (m - 1) * (n + m) + n / 2; });
  for (FitPoint& each : halves) each.sizes["apart"] = each.sizes["M"] + each.sizes["N"];
  const auto half = fit(halves, {"M", "N", "apart"}, {});
  REQUIRE(half);
  CHECK(half->strides.at(0)->symbol == "apart");
  CHECK(half->shape[1]->kind == Op::divide);
}

TEST_CASE("rows may lie a constant apart, and some of them be missing") {
  const auto found = fit(points([](auto m, auto n) { return (m - 2) * 2048 + n - 1; }), {"M", "N"}, {});
  REQUIRE(found);
  CHECK(shape_of(points([](auto m, auto n) { return (m - 2) * 2048 + n - 1; })) == "M - 1, N - 1");
  REQUIRE(found->strides.size() == 2);
  CHECK(found->strides[0]->number == 2048);
  CHECK(shape_of(points([](auto m, auto n) { return (m - 1) * 2048 + n; })) == "M, N");
}

TEST_CASE("a product among the formulas is an extent for each of its factors") {
  const FormulaPtr product = read_formula(tokens_of("M * N * 2"), {});
  std::vector<FitPoint> all = points([](auto m, auto n) { return 2 * m * n; });
  CHECK(factors_of(product).size() == 3);
  CHECK(factors_of(symbol("M")).size() == 1);
  const auto found = fit(all, {"N"}, {product});
  REQUIRE(found);
  CHECK(found->shape.size() == 3);
}
