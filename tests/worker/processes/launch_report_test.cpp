#include "harness/worker/processes/launch_report.h"

#include <catch2/catch.hpp>

using namespace harness;

TEST_CASE("what a launch says is told by words of this program and of its source, and by numbers") {
  const std::string text = "barrier_deadlock: block (0,0,0): thread 3 waits at kernel.cu:17";
  const std::string source = "kernel.cu\nbarrier_deadlock: block thread waits at";
  CHECK(known_words(text, {source}) == text);
}

TEST_CASE("words that a launch found elsewhere are not told") {
  const std::string name = std::string("ro") + "ot7x", other = std::string("zo") + "e_q";  // no word of this program
  const std::string told = known_words("assertion: " + name + ":" + other + ":/home/" + other, {"assertion"});
  CHECK(told.find(name) == std::string::npos);
  CHECK(told.find(other) == std::string::npos);
  CHECK(told.starts_with("assertion: ?:?:/"));
  CHECK(known_words("part", {"compartment"}) != "compartment");
}

TEST_CASE("a variable of the candidate keeps its name, which its object holds as a compiler writes names") {
  const std::string name = std::string("zq") + "plat", object = "_ZZ5scaleIfEvPKT_PS0_fiE6" + name;
  CHECK(known_words("read bytes 4 to 7 of '" + name + "'", {object, "read bytes to of"}).ends_with("'" + name + "'"));
  CHECK(known_words(name.substr(1), {object}) == "?");
  CHECK(known_words(name, {"_ZE16" + name}) == "?");
}

TEST_CASE("what a launch says is bounded and printable") {
  CHECK(known_words(std::string(5000, '('), {}).size() == 1000);
  CHECK(known_words("\x1b[(\n", {}) == "?[(?");
}
