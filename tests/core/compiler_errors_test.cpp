#include "harness/core/compiler_errors.h"

#include <catch2/catch.hpp>

#include "harness/core/first_error.h"

using namespace harness;

TEST_CASE("an error told again at its place is told once, with the lines that show it") {
  const std::string once = "a.cu:3:5: error: no x\n    3 |  x;\n";
  CHECK(tidy_errors(once + "a.cu: In instantiation of k<2>:\n" + once + "a.cu:9:1: error: no y\n") ==
        once + "a.cu:9:1: error: no y\n");
  CHECK(tidy_errors("a.cu(3): error: no x\n\na.cu(3): error: no x\n\n1 error detected\n") ==
        "a.cu(3): error: no x\n\n");
}

TEST_CASE("errors of generated text are told only where there are no others, and warnings come after errors") {
  const std::string made = "table:1:1: error: expected x\n", own = "a.cu:3:5: error: no x\n",
                    warning = "a.cu:1:1: warning: odd\n";
  CHECK(tidy_errors(made + warning + own, {"table:"}) == own + warning);
  CHECK(tidy_errors(warning + made, {"table:"}) == made + warning);
}

TEST_CASE("a log without errors is left as it is") {
  CHECK(tidy_errors("undefined reference to f\nld returned 1\n") == "undefined reference to f\nld returned 1\n");
  CHECK(tidy_errors("").empty());
}

TEST_CASE("the first error of a log is one line") {
  CHECK(first_error("In file included from a.cu\na.cu:3: warning: x\na.cu:4: error: y\na.cu:5: error: z\n") ==
        "a.cu:4: error: y");
  CHECK(first_error("nothing of the kind\n").empty());
}
