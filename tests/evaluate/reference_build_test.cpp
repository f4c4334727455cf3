#include "harness/evaluate/reference_build.h"

#include <catch2/catch.hpp>

#include "harness/core/hash.h"
#include "harness/core/text_changed.h"
#include "tests/support/program.h"

using namespace harness;
using namespace harness::tests;

TEST_CASE("a reference that was edited since the contract was read judges nothing") {
  const Scratch scratch;
  const std::string path = scratch.path("reference.cu"), text = "template <class T> void reference() {}\n";
  scratch.write("reference.cu", text);
  Realized realized;
  realized.problem.kernel = "scale";
  realized.problem.reference.source = path;
  realized.problem.reference.digest = sha256_hex(text);
  CHECK(reference_build(realized).source_name == "kernels/scale/reference.cu");
  scratch.write("reference.cu", text + "// edited\n");
  CHECK_THROWS_AS(reference_build(realized), TextChanged);
}
