#include "harness/judge/mutants.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "harness/judge/tolerance.h"
#include "tests/judge/launched.h"

using namespace harness;
using namespace harness::judge;

namespace {

// y = 2 x over 64 x 96 elements.
struct Doubling : Launched {
  explicit Doubling(Dtype dtype, std::uint64_t seed = 1) : Launched(problem_of(dtype), seed) {
    compute("y", [this](std::int64_t i) { return 2 * drawn_value("x", i); });
  }
  static Problem problem_of(Dtype dtype) {
    Problem problem;
    problem.arguments = {tensor(ArgumentKind::input, "x", dtype, {64, 96}, {96, 1}),
                         tensor(ArgumentKind::output, "y", dtype, {64, 96}, {96, 1})};
    return problem;
  }
};

ReferenceValues impostor_of(const Doubling& launched) {
  ReferenceValues values = launched.reference;
  for (double& value : values.at("y").values)
    value = 2 * round_to_bits(value / 2, impostor_bits(launched.argument("x")));
  return values;
}

}  // namespace

TEST_CASE("every generated mutant fails its gate, and the right answer does not") {
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16}) {
    Doubling launched(dtype, 5), previous(dtype, 6), other(dtype, 7);
    const ReferenceValues lower = impostor_of(launched);
    const MutantSources sources{launched.problem,
                                launched.layout,
                                launched.before,
                                launched.reference,
                                previous.reference,
                                other.reference,
                                lower};
    const Argument& y = launched.argument("y");
    launched.after = *mutant_image(sources, honest_image(sources), "one precision lower", y);
    const double impostor =
        output_errors(launched.problem, launched.layout, launched.before, launched.after, launched.reference).at("y");
    launched.after = honest_image(sources);
    const double honest =
        output_errors(launched.problem, launched.layout, launched.before, launched.after, launched.reference).at("y");
    const DerivedTolerance derived = derive_tolerance(honest, impostor, least_error(y, false));
    CHECK(derived.separates);
    set_tolerance(launched.problem.arguments[1], derived.tolerance);
    CHECK(launched.verdict().passed());
    for (const std::string& name : mutant_names()) {
      INFO(name << " of " << harness::name(dtype));
      const auto image = mutant_image(sources, honest_image(sources), name, y);
      REQUIRE(image);
      launched.after = *image;
      CHECK_FALSE(launched.verdict().passed());
    }
  }
}

TEST_CASE("rounding to fewer bits is to nearest, ties to even") {
  CHECK(round_to_bits(1.0 + 0x1p-8, 7) == 1.0);
  CHECK(round_to_bits(1.0 + 3 * 0x1p-8, 7) == 1.0 + 0x1p-6);
  CHECK(round_to_bits(-1000.3, 10) == -1000.5);
  CHECK(round_to_bits(0, 3) == 0);
  CHECK(std::isinf(round_to_bits(INFINITY, 3)));
}

TEST_CASE("a tolerance lies between honest and impostor, or says that it cannot") {
  const DerivedTolerance endless = derive_tolerance(1e-6, std::numeric_limits<double>::infinity(), 1e-9);
  CHECK(endless.separates);
  CHECK(endless.tolerance < 1e-4);  // and not infinite
  const DerivedTolerance derived = derive_tolerance(1e-4, 1e-2, 1e-9);
  CHECK(derived.separates);
  CHECK(derived.tolerance == Approx(1e-3));
  const DerivedTolerance close = derive_tolerance(1e-2, 2e-2, 1e-9);
  CHECK_FALSE(close.separates);
  CHECK(close.tolerance == Approx(4e-2));
}

TEST_CASE("on plain inputs an f32 output is held to more than six dropped bits, where its baseline allows it") {
  Argument y;
  y.name = "y";
  y.kind = ArgumentKind::output;
  y.dtype = Dtype::f32;
  const double least = least_error(y, false), impostor = 2.8e-4;  // of 10 bits
  const double dropped = impostor * kFineImpostorShare;           // of 17
  const DerivedTolerance exact = derive_plain_tolerance(y, 3e-8, impostor, least);
  CHECK(exact.separates);
  CHECK(exact.tolerance < dropped / 2);
  CHECK(exact.tolerance > 3e-7);  // an fp32 tree's sum of some hundred terms
  const DerivedTolerance rough = derive_plain_tolerance(y, 1.5e-6, impostor, least);
  CHECK(rough.separates);
  CHECK(rough.tolerance > 1.5e-6 * kSeparation);
  y.compare = Compare{"relative", 0, {{"impostor_bits", 10}}};
  CHECK(derive_plain_tolerance(y, 3e-8, impostor, least).tolerance ==
        derive_tolerance(3e-8, impostor, least).tolerance);
  y.compare.reset();
  y.dtype = Dtype::f16;
  CHECK(derive_plain_tolerance(y, 3e-4, 4e-3, 1e-4).tolerance == derive_tolerance(3e-4, 4e-3, 1e-4).tolerance);
}
