#include "harness/core/line_diff.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>

using harness::unified_diff;

TEST_CASE("texts that are the same have no difference") {
  CHECK(unified_diff("a\nb\n", "a\nb\n", "x", "y").empty());
  CHECK(unified_diff("", "", "x", "y").empty());
}

TEST_CASE("a change is shown between its neighbours") {
  CHECK(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "x", "y") ==
        "--- x\n+++ y\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST_CASE("changes that are far apart are shown apart") {
  CHECK(unified_diff("a\n1\n2\n3\n4\nb\n", "A\n1\n2\n3\n4\nB\n", "x", "y", 1) ==
        "--- x\n+++ y\n@@ -1,2 +1,2 @@\n-a\n+A\n 1\n@@ -5,2 +5,2 @@\n 4\n-b\n+B\n");
}

TEST_CASE("added and removed texts count from the line before") {
  CHECK(unified_diff("", "n\n", "x", "y") == "--- x\n+++ y\n@@ -0,0 +1 @@\n+n\n");
  CHECK(unified_diff("o\n", "", "x", "y") == "--- x\n+++ y\n@@ -1 +0,0 @@\n-o\n");
}

TEST_CASE("the fewest lines are marked as changed") {
  CHECK(unified_diff("a\nb\nc\nd\n", "b\nc\nx\nd\n", "x", "y", 0) ==
        "--- x\n+++ y\n@@ -1 +0,0 @@\n-a\n@@ -3,0 +3 @@\n+x\n");
}

TEST_CASE("long texts with nothing in common are replaced as a whole") {
  std::string a, b;
  for (int i = 0; i < 5000; ++i) a += fmt::format("a{}\n", i), b += fmt::format("b{}\n", i);
  const std::string diff = unified_diff(a, b, "x", "y");
  CHECK(diff.find("@@ -1,5000 +1,5000 @@\n-a0\n-a1\n") != std::string::npos);
  CHECK(diff.ends_with("+b4999\n"));
}
