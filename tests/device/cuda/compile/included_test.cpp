#include "harness/device/cuda/compile/included.h"

#include <catch2/catch.hpp>

#include "tests/device/cuda/scratch.h"

using namespace harness;

namespace {

BuildSpec spec_in(const Scratch& scratch, const std::string& source) {
  BuildSpec spec;
  spec.source_name = "k.cu";
  spec.source = source;
  spec.include_dirs = {scratch.path("own")};
  return spec;
}

}  // namespace

TEST_CASE("a header that is nowhere is remembered as missing, also one that a condition asks for") {
  Scratch scratch;
  scratch.write("own/a.cuh", "#include \"a.cuh\"\n#include <cuda_fp16.h>\n");
  const auto included = cuda::included_by(
      spec_in(scratch, "#include <a.cuh>\n#include <cuda_fp16.h>\n#if __has_include(\"y.cuh\")\n#endif\n"), "");
  CHECK(included.refused.empty());
  CHECK(included.files.size() == 1);
  REQUIRE(included.absent.size() == 2);
  CHECK(included.absent[0].name == "cuda_fp16.h");
  CHECK(included.absent[1].name == "y.cuh");
}

TEST_CASE("the toolkit's headers give no computed include another meaning") {
  Scratch scratch;
  scratch.write("own/mine.cuh", "");
  scratch.write("own/ld", "");
  scratch.write("toolkit/plain.h", "#define FORMAT \"ld\"\n");
  scratch.write("toolkit/other.h", "#define FORMAT NUMBER(1)\n");
  scratch.write("toolkit/nothing.h", "int nothing;\n");
  const auto refused = [&](const std::string& header) {
    const std::string source =
        "#include <" + header + ">\n#ifndef FORMAT\n#define FORMAT \"mine.cuh\"\n#endif\n#include FORMAT\n";
    return cuda::included_by(spec_in(scratch, source), scratch.path("toolkit")).refused;
  };
  CHECK(refused("nothing.h").empty());
  for (const char* header : {"plain.h", "other.h"}) {
    INFO(header);
    REQUIRE(refused(header).size() == 1);
    CHECK(refused(header).front().starts_with("k.cu:5: an #include must name its file"));
  }
}
