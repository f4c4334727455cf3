#include "harness/device/cpu/compile/leading_headers.h"

#include <catch2/catch.hpp>

#include "tests/support/program.h"

using namespace harness;
using Names = std::vector<std::string>;

TEST_CASE("a source begins with includes, comments and #pragma once") {
  CHECK(
      cpu::leading_includes("#include <a>\n\n// of two lines:\n/* #include <none>\n*/ # include  <b/c.cuh>  // why\r\n"
                            "#pragma once\n#include<d>") == Names{"a", "b/c.cuh", "d"});
  CHECK(cpu::leading_includes("").empty());
  CHECK(cpu::leading_includes("/* never closed\n#include <a>\n").empty());
}

TEST_CASE("the beginning of a source ends with whatever may give what follows another meaning") {
  for (const char* line : {"int x;", "#define X", "#if 0", "#ifndef GUARD", "#include \"own.cuh\"", "#include MACRO",
                           "#include <b> int x;", "#pragma unroll", "/* *\\\n/ int x; /* */"}) {
    INFO(line);
    CHECK(cpu::leading_includes(std::string("#include <a>\n") + line + "\n#include <cuda_fp16.h>\n") == Names{"a"});
  }
}

TEST_CASE("comments and spliced lines belong to the beginning of a source") {
  CHECK(cpu::leading_includes("#include <a>\n// \\\n#include <none>\n#include <c>\n") == Names{"a", "c"});
  CHECK(cpu::leading_includes("#include <c> // \\\n#include <none>\n%:include <d> /* 1 */\n#inc\\\nlude <e>") ==
        Names{"c", "d", "e"});
}

TEST_CASE("small floats are found where a source begins with them, itself or by its headers") {
  const tests::Scratch scratch;
  scratch.write("guest/cuda_fp16.h", "#pragma once\n");
  scratch.write("kernels/convert.cuh", "#pragma once\n// both\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n");
  scratch.write("kernels/outer.cuh", "#pragma once\n#include <outer.cuh>\n#include <convert.cuh>\n");
  scratch.write("kernels/late.cuh", "#pragma once\nint before;\n#include <cuda_fp16.h>\n");
  scratch.write("outside.cuh", "#include <cuda_fp16.h>\n");
  const auto found = [&](const std::string& source) {
    return cpu::leading_small_floats(source, {scratch.path("guest"), scratch.path("kernels")});
  };
  CHECK(found("#include <cuda_fp16.h>\n__half x;") == Names{"cuda_fp16.h"});
  CHECK(found("#include <cmath>\n#include <outer.cuh>\n") == Names{"cuda_bf16.h", "cuda_fp16.h"});
  CHECK(found("#include <late.cuh>\n").empty());
  CHECK(found("#include <../outside.cuh>\n").empty());
  CHECK(found("__half x;\n#include <cuda_fp16.h>\n").empty());
}
