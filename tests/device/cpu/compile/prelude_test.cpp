#include "harness/device/cpu/compile/prelude.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>
#include <sstream>

#include "harness/device/cpu/compile/flags.h"
#include "harness/system/files.h"
#include "tests/support/program.h"

using namespace harness;

namespace {

struct Emulation {
  Emulation() { scratch.write("guest/harness_cpu/prelude.h", "one"); }
  std::string header(const cpu::Prelude::Request& request = {{"-O2"}}) {
    return prelude.header(request, [&](const std::vector<std::string>& arguments, const std::string&) {
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
  CHECK(emulation.header({{"-O3"}}) != first);
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

TEST_CASE("headers that a source begins with are part of a prelude of their own") {
  Emulation emulation;
  const std::string plain = emulation.header(), with = emulation.header({{"-O2"}, {"cuda_bf16.h", "cuda_fp16.h"}});
  CHECK(with != plain);
  CHECK(read_file(plain) == "#include \"harness_cpu/prelude.h\"\n");
  CHECK(read_file(with) == "#include \"harness_cpu/prelude.h\"\n#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n");
}

TEST_CASE("what few builds ask for is precompiled once that pays") {
  Emulation emulation;
  const cpu::Prelude::Request rare{{"-O1"}, {}, true};
  for (int build = 0; build < 4; ++build) CHECK(emulation.header(rare) == "harness_cpu/prelude.h");
  CHECK(emulation.compiled == 0);
  const std::string made = emulation.header(rare);
  CHECK(read_file(made + ".gch") == "precompiled");
  CHECK(emulation.header(rare) == made);
  CHECK(emulation.compiled == 1);
}

TEST_CASE("behind the prelude no macro tells judged, checked and counted builds apart") {
  const std::string guest = std::string(HARNESS_SOURCE_DIR) + "/harness/device/cpu/guest";
  const auto macros = [&](bool checked, bool compares) {
    BuildSpec spec;
    spec.checked = checked;
    spec.compares = compares;
    std::vector<std::string> command{"g++"};
    const cpu::Flags flags = cpu::compile_flags(spec, guest);
    command.insert(command.end(), flags.arguments.begin(), flags.arguments.end());
    for (const char* word : {"-dM", "-E", "-x", "c++", "-include", "harness_cpu/prelude.h", "/dev/null"})
      command.emplace_back(word);
    std::istringstream lines(tests::run_program(command, guest).out);
    std::set<std::string> defined;
    for (std::string line; std::getline(lines, line);) defined.insert(line);
    return defined;
  };
  const std::set<std::string> judged = macros(false, false);
  CHECK(judged.contains("#define __x86_64__ 1"));
  for (const bool compares : {false, true}) {
    std::vector<std::string> different;
    std::ranges::set_symmetric_difference(judged, macros(true, compares), std::back_inserter(different));
    CHECK(different == std::vector<std::string>{});
  }
}
