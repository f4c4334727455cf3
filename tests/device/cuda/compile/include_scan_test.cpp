#include "harness/device/cuda/compile/include_scan.h"

#include <catch2/catch.hpp>

#include "tests/device/cuda/scratch.h"

using namespace harness::cuda;

namespace {
std::string contents_of(const IncludeScan& scan, const std::string& name) {
  for (const auto& [header, contents] : scan.headers) {
    if (header == name) return contents;
  }
  return "not scanned";
}
}  // namespace

TEST_CASE("headers of headers are found beside their includer and in the folders in order") {
  Scratch scratch;
  scratch.write("first/a.cuh", "#include \"sub/b.cuh\"\n");
  scratch.write("first/sub/b.cuh", "  #  include <c.cuh>\n");
  scratch.write("first/sub/c.cuh", "not this one: angle brackets do not look beside the includer");
  scratch.write("second/c.cuh", "c");
  scratch.write("second/a.cuh", "hidden by first");
  const IncludeScan scan = scan_includes("k.cu", "#include <a.cuh>\n", {scratch.path("first"), scratch.path("second")});
  CHECK(contents_of(scan, "sub/b.cuh") == "  #  include <c.cuh>\n");
  CHECK(contents_of(scan, "c.cuh") == "c");
  CHECK(scan.headers.size() == 3);
}

TEST_CASE("a header that includes itself is read once, and one that is nowhere is remembered as missing") {
  Scratch scratch;
  scratch.write("a.cuh", "#include \"a.cuh\"\n#include <cuda_fp16.h>\n");
  const IncludeScan scan = scan_includes("k.cu", "#include <a.cuh>\n#include <cuda_fp16.h>\n", {scratch.path("")});
  CHECK(scan.headers.size() == 2);
  CHECK(contents_of(scan, "cuda_fp16.h").empty());
}

TEST_CASE("a header asked for with __has_include decides the build, too") {
  Scratch scratch;
  scratch.write("x.cuh", "x");
  const IncludeScan scan =
      scan_includes("k.cu", "#if __has_include(\"x.cuh\") && __has_include( <y.cuh> )\n#endif\n%:include <x.cuh>\n",
                    {scratch.path("")});
  CHECK(contents_of(scan, "x.cuh") == "x");
  CHECK(contents_of(scan, "y.cuh").empty());
}

TEST_CASE("an include by macro is reported with file and line") {
  CHECK(scan_includes("dir/k.cu", "\n#include NAME\n", {}).computed == std::vector<std::string>{"dir/k.cu:2"});
  CHECK(scan_includes("dir/k.cu", "// #include NAME\nint included;\n#define include_this 1\n", {}).computed.empty());
}

TEST_CASE("an include by a macro that writes a header's name is followed, unless it is also defined in another way") {
  Scratch scratch;
  scratch.write("std/tuple", "t");
  const std::string source = "#define HEADER(name) <std/name>\n#include HEADER(tuple)\n";
  const IncludeScan scan = scan_includes("k.cu", source, {scratch.path("")});
  CHECK(scan.computed.empty());
  CHECK(contents_of(scan, "std/tuple") == "t");
  for (const char* other : {"#define HEADER(name) OTHER(name)\n", "#define HEADER(a, b) <std/a>\n"})
    CHECK(scan_includes("k.cu", source + other, {}).computed == std::vector<std::string>{"k.cu:2"});
}
