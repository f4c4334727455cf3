#include "harness/judge/rotate.h"

#include <catch2/catch.hpp>

#include "tests/judge/launched.h"

using namespace harness;
using namespace harness::judge;

namespace {

/// Byte by byte, as the definition in core/image.h says it.
std::vector<std::byte> rotated_naively(const ImageLayout& layout, const std::vector<std::byte>& image,
                                       std::uint64_t r) {
  std::vector<std::byte> result = image;
  for (const ImageBuffer& b : layout.buffers) {
    for (std::int64_t row = 0; row < b.rows; ++row) {
      const auto from = static_cast<std::int64_t>((static_cast<std::uint64_t>(row) + r % b.rows) % b.rows);
      for (std::int64_t i = 0; i < b.row_bytes; ++i)
        result[b.offset + row * b.unit_bytes + i] = image[b.offset + from * b.unit_bytes + i];
    }
  }
  return result;
}

Problem varied_problem() {
  Problem problem;
  problem.arguments = {tensor(ArgumentKind::input, "dense", Dtype::bf16, {5, 7}),
                       tensor(ArgumentKind::input, "padded", Dtype::f32, {6, 3}, {5, 1}),
                       tensor(ArgumentKind::input, "columns", Dtype::f16, {4, 3}, {1, 9}),
                       tensor(ArgumentKind::input, "nested", Dtype::f32, {3, 2, 2}, {17, 4, 1}),
                       tensor(ArgumentKind::inout, "state", Dtype::s32, {11}),
                       tensor(ArgumentKind::output, "y", Dtype::f32, {8})};
  return problem;
}

}  // namespace

TEST_CASE("rotation moves rows as defined and nothing else, also with a number beyond all rows") {
  const Launched launched(varied_problem());
  int rotatable = 0;
  for (const ImageBuffer& b : launched.layout.buffers) rotatable += b.rows > 1;
  REQUIRE(rotatable == 5);
  for (const std::uint64_t r : {0ull, 1ull, 4ull, 34ull, 1000ull, 0xffffffffffffffffull}) {
    auto image = launched.before;
    rotate(launched.layout, image, r);
    CAPTURE(r);
    REQUIRE(image == rotated_naively(launched.layout, launched.before, r));
    REQUIRE((image == launched.before) == (r == 0));
  }
}

TEST_CASE("a rotated draw is still a draw: a kernel that is right on it passes all gates, one that remembers fails") {
  Problem problem;
  problem.arguments = {tensor(ArgumentKind::input, "x", Dtype::f32, {300}),
                       tensor(ArgumentKind::output, "y", Dtype::f32, {300})};
  problem.arguments[1].compare = Compare{"relative", 1e-6, json::object()};
  Launched launched(problem);
  const auto drawn = launched.before;
  rotate(launched.layout, launched.before, 123);
  launched.after = launched.before;
  launched.compute("y", [&](std::int64_t i) { return 3 * launched.drawn_value("x", i); });
  CHECK(launched.verdict().passed());
  launched.before = drawn;  // what the answers of before would be answers to
  const auto remembered = [&](std::int64_t i) { return 3 * launched.drawn_value("x", i); };
  for (std::int64_t i = 0; i < 300; ++i) launched.write("y", i, remembered(i));
  rotate(launched.layout, launched.before, 123);
  CHECK_FALSE(launched.verdict().passed());
}

TEST_CASE("every element of a dense buffer comes round, and padding keeps its pattern") {
  const Launched launched(varied_problem());
  const ImageBuffer& padded = *find_buffer(launched.layout, "padded");
  CHECK(padded.unit_bytes == 20);
  CHECK(padded.row_bytes == 12);
  CHECK(padded.rows == 6);
  const ImageBuffer& columns = *find_buffer(launched.layout, "columns");
  CHECK(columns.unit_bytes == 18);
  CHECK(columns.row_bytes == 8);
  CHECK(columns.rows == 3);
  const ImageBuffer& dense = *find_buffer(launched.layout, "dense");
  CHECK(dense.rows == 35);
  auto image = launched.before;
  rotate(launched.layout, image, 2);
  CHECK(std::memcmp(image.data() + padded.offset + 12, launched.before.data() + padded.offset + 12, 8) == 0);
  CHECK(std::memcmp(image.data() + padded.offset, launched.before.data() + padded.offset + 40, 12) == 0);
}
