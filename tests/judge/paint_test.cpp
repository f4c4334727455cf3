#include "harness/judge/paint.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "tests/judge/launched.h"

using namespace harness;
using namespace harness::judge;

namespace {

struct Painted {
  Problem problem;
  Plan plan{{}, {{"dirty", 4096, 256, false}, {"clean", 4096, 256, true}}};
  ImageLayout layout;
  Painted() {
    problem.arguments = {
        tensor(ArgumentKind::input, "x", Dtype::f32, {4, 6}, {10, 1}),
        tensor(ArgumentKind::output, "y", Dtype::f16, {50, 20}), tensor(ArgumentKind::output, "q", Dtype::s8, {1000}),
        tensor(ArgumentKind::output, "flag", Dtype::b8, {100}), tensor(ArgumentKind::inout, "state", Dtype::f32, {16})};
    Argument pointers = tensor(ArgumentKind::pointers, "list", Dtype::u64, {1});
    pointers.of = "x";
    pointers.offsets = {10};
    problem.arguments.push_back(pointers);
    layout = make_layout(problem, plan);
  }
  std::vector<std::byte> image(std::uint64_t seed, std::byte old = std::byte{0}) const {
    std::vector<std::byte> result(layout.bytes, old);
    paint(problem, plan, layout, seed, result);
    return result;
  }
  std::span<const std::byte> part(const std::vector<std::byte>& image, const std::string& name) const {
    return payload(layout, name, std::span<const std::byte>(image));
  }
};

}  // namespace

TEST_CASE("painting leaves nothing of what was in the image before") {
  const Painted p;
  REQUIRE(p.image(3, std::byte{0}) == p.image(3, std::byte{0xcc}));
  REQUIRE(p.image(3) != p.image(4));
}

TEST_CASE("guards, padding and dirty workspaces change with the seed, and zeroed workspaces are zero") {
  const Painted p;
  const auto a = p.image(1), b = p.image(2);
  std::int64_t same = 0, guard = 0, end = 0;
  for (const ImageBuffer& buffer : p.layout.buffers) {
    for (; end < buffer.offset; ++end, ++guard) same += a[end] == b[end];
    end = buffer.offset + buffer.bytes;
  }
  REQUIRE(guard > 1000);
  REQUIRE(same < guard / 64);
  const auto padding_a = p.part(a, "x").subspan(24, 16), padding_b = p.part(b, "x").subspan(24, 16);
  REQUIRE_FALSE(std::ranges::equal(padding_a, padding_b));
  REQUIRE_FALSE(std::ranges::equal(p.part(a, "dirty"), p.part(b, "dirty")));
  REQUIRE(std::ranges::count(p.part(a, "clean"), std::byte{0}) == 4096);
}

TEST_CASE("poison is plausible and not twice the same") {
  const Painted p;
  const auto a = p.image(1), b = p.image(2);
  std::set<double> distinct;
  int same = 0;
  for (int i = 0; i < 1000; ++i) {
    const double value = load_as_double(Dtype::f16, p.part(a, "y").data() + 2 * i);
    REQUIRE(std::fabs(value) < 5);
    distinct.insert(value);
    same += value == load_as_double(Dtype::f16, p.part(b, "y").data() + 2 * i);
  }
  REQUIRE(distinct.size() > 900);
  REQUIRE(same < 10);
  REQUIRE(std::set<std::byte>(p.part(a, "q").begin(), p.part(a, "q").end()).size() > 200);
  for (const std::byte flag : p.part(a, "flag")) REQUIRE(static_cast<int>(flag) >= 2);
}

TEST_CASE("pointers hold the offsets of their targets until a session resolves them") {
  const Painted p;
  const auto image = p.image(1);
  std::int64_t target = 0;
  std::memcpy(&target, p.part(image, "list").data(), 8);
  REQUIRE(target == find_buffer(p.layout, "x")->offset + 40);
}
