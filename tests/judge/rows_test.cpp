#include "harness/judge/rows.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <functional>

using namespace harness;
using judge::rows_over;

namespace {

Argument row_tensor(ArgumentKind kind, const std::string& name, std::vector<std::int64_t> shape,
                    std::vector<std::int64_t> strides = {}) {
  Argument argument;
  argument.name = name;
  argument.kind = kind;
  argument.strides = strides.empty() ? contiguous_strides(shape) : std::move(strides);
  argument.shape = std::move(shape);
  if (kind != ArgumentKind::output) argument.gen = Generator{"normal"};
  return argument;
}

Problem batch_of(std::int64_t batch, std::vector<Argument> arguments) {
  Problem problem;
  problem.workload.values["B"] = batch;
  problem.arguments = std::move(arguments);
  return problem;
}

std::string why_not(const std::function<std::vector<Argument>(std::int64_t)>& arguments) {
  const Problem few = batch_of(3, arguments(3)), many = batch_of(8, arguments(8));
  return rows_over("B", {&few, &many}).why;
}

}  // namespace

TEST_CASE("an argument has rows where its extent is so many times the size") {
  const auto arguments = [](std::int64_t batch) {
    return std::vector<Argument>{row_tensor(ArgumentKind::input, "tokens", {batch * 5, 4}),
                                 row_tensor(ArgumentKind::input, "weights", {4, 3}),
                                 row_tensor(ArgumentKind::output, "columns", {3, batch})};
  };
  const Problem few = batch_of(3, arguments(3)), many = batch_of(8, arguments(8));
  const judge::Rows rows = rows_over("B", {&few, &many});
  CHECK(rows.why.empty());
  CHECK(rows.dimension == std::map<std::string, std::size_t>{{"tokens", 0}, {"columns", 1}});
  CHECK(rows.whole == std::vector<std::string>{"weights"});
  CHECK(rows.outputs == std::vector<std::string>{"columns"});
}

TEST_CASE("where rows cannot stand in another batch a sentence says why") {
  const Argument out = row_tensor(ArgumentKind::output, "y", {1});
  CHECK(why_not([&](std::int64_t) { return std::vector<Argument>{out}; }) == "no output has a dimension that B gives");
  CHECK(why_not([](std::int64_t b) {
          return std::vector<Argument>{row_tensor(ArgumentKind::input, "ends", {b + 1}),
                                       row_tensor(ArgumentKind::output, "y", {b})};
        }) == "the shape of 'ends' grows with B, and not in proportion");
  CHECK(why_not([](std::int64_t b) {
          return std::vector<Argument>{row_tensor(ArgumentKind::output, "y", {b, b})};
        }) == "B is two dimensions of 'y'");
  CHECK(why_not([](std::int64_t b) {
          Argument table = row_tensor(ArgumentKind::input, "table", {b, 4});
          table.gen = Generator{"block_table"};
          return std::vector<Argument>{table, row_tensor(ArgumentKind::output, "y", {b})};
        }) == "the elements of 'table' depend on each other (block_table)");
  CHECK(why_not([](std::int64_t b) {
          Argument index = row_tensor(ArgumentKind::input, "index", {7});
          index.gen = Generator{"integers", {{"lo", 0}, {"hi", b - 1}}};
          return std::vector<Argument>{index, row_tensor(ArgumentKind::output, "y", {b})};
        }) == "the values of 'index' follow from it");
}

TEST_CASE("a row goes from one image into another, whatever the strides") {
  // Two rows a unit of B, in the inner dimension of a padded tensor.
  const Argument few = row_tensor(ArgumentKind::input, "x", {3, 4}, {6, 1});
  const Argument many = row_tensor(ArgumentKind::input, "x", {3, 8}, {10, 1});
  std::vector<float> from(18), to(30, -1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<float>(i);
  const ImageBuffer at{"x", 0, 0};
  const auto elements = judge::row_of(std::as_bytes(std::span(from)), at, few, 1, 2, 1);
  REQUIRE(elements.size() == 6 * sizeof(float));
  judge::put_row(std::as_writable_bytes(std::span(to)), at, many, 1, 4, 2, elements);
  for (std::size_t outer = 0; outer < 3; ++outer)
    for (std::size_t inner = 0; inner < 10; ++inner) {
      const bool moved = inner == 4 || inner == 5;
      CHECK(to[outer * 10 + inner] == (moved ? from[outer * 6 + inner - 2] : -1));
    }
}

TEST_CASE("a difference of rows is counted in elements, and measured against the row") {
  const std::vector<float> one{3, 4, 0}, other{3, 4.5F, 0};
  const auto bytes = [](const std::vector<float>& row) { return std::as_bytes(std::span(row)); };
  const judge::RowDifference difference = judge::difference_of(Dtype::f32, bytes(one), bytes(other));
  CHECK(difference.elements == 3);
  CHECK(difference.differ == 1);
  CHECK(difference.distance == Approx(0.1));
  CHECK(judge::difference_of(Dtype::f32, bytes(one), bytes(one)).differ == 0);
}
