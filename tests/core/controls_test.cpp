#include "harness/core/controls.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"

using namespace harness;

TEST_CASE("a control is of a known kind, with a value that it takes") {
  for (const char* option : {"--maxrregcount=64", "--extra-device-vectorization", "--ptxas-options=-O1",
                             "--ptxas-options=--register-usage-level=10", "--ptxas-options=--def-load-cache=cg"})
    CHECK(is_control(option));
  // What changes rounding, what debugs, what would reach outside of the build, and values that there are not.
  for (const char* option : {"--use_fast_math", "--fmad=false", "--ptxas-options=--fmad=false", "--ptxas-options=-O0",
                             "--maxrregcount=8", "--maxrregcount=64x", "--maxrregcount=",
                             "--ptxas-options=--options-file=/etc/passwd", "--ptxas-options=--output-file=x",
                             "--extra-device-vectorization=1", "--ptxas-options=--return-at-end --device-debug"})
    CHECK_FALSE(is_control(option));
  for (const Control& control : known_controls()) CHECK(is_control(control.option));
}

TEST_CASE("a configuration holds one value of each control") {
  Config config{{"BLOCK", std::int64_t{128}}};
  CHECK(controls_of(config).empty());
  config = with_control(config, "--maxrregcount=64");
  config = with_control(config, "--ptxas-options=-O2");
  config = with_control(config, "--maxrregcount=48");
  CHECK(controls_of(config) == std::vector<std::string>{"--ptxas-options=-O2", "--maxrregcount=48"});
  CHECK(to_text(without_controls(config)) == "BLOCK=128");
  config[kControls] = std::string("--maxrregcount=64 --use_fast_math");
  CHECK_THROWS_AS(controls_of(config), Error);
}
