#include "harness/device/cpu/compile/prelude.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/system/files.h"
#include "tests/support/program.h"

using namespace harness;

namespace {

struct Emulation {
  Emulation() { scratch.write("guest/harness_cpu/prelude.h", "one"); }
  std::string header(const std::vector<std::string>& flags = {"-O2"}) {
    return prelude.header(flags, [&](const std::vector<std::string>& arguments, const std::string&) {
      ++compiled;
      if (works) write_file(arguments.back(), "precompiled");
      return works;
    });
  }
  tests::Scratch scratch;
  cpu::Prelude prelude{scratch.path("cache"), scratch.path("guest"), "g++"};
  bool works = true;
  int compiled = 0;
};

}  // namespace

TEST_CASE("the prelude is precompiled once for each set of flags") {
  Emulation emulation;
  const std::string first = emulation.header();
  CHECK(read_file(first + ".gch") == "precompiled");
  CHECK(emulation.header() == first);
  CHECK(emulation.compiled == 1);
  CHECK(emulation.header({"-O3"}) != first);
  CHECK(emulation.compiled == 2);
}

TEST_CASE("a header of the emulation that changes is precompiled again by the same process") {
  Emulation emulation;
  const std::string first = emulation.header();
  emulation.scratch.write("guest/harness_cpu/prelude.h", "another");
  CHECK(emulation.header() != first);
  CHECK(emulation.compiled == 2);
}

TEST_CASE("where precompiling fails the text is read, and it is not tried again") {
  Emulation emulation;
  emulation.works = false;
  CHECK(emulation.header() == "harness_cpu/prelude.h");
  CHECK(emulation.header() == "harness_cpu/prelude.h");
  CHECK(emulation.compiled == 1);
}
