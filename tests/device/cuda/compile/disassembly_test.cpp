#include "harness/device/cuda/compile/disassembly.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/system/files.h"
#include "harness/system/walls.h"
#include "tests/device/cuda/scratch.h"

using namespace harness;

namespace {

std::string disassembler(const Scratch& scratch, const std::string& script) {
  const std::string path = scratch.path("nvdisasm");
  write_file(path, "#!/bin/sh\n" + script + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

}  // namespace

TEST_CASE("machine code comes from a disassembler, whole, or with the reason why not") {
  const Scratch scratch;
  const std::string cubin = scratch.path("module.cubin");
  write_file(cubin, "S2UR UR4, SR_CLOCKLO ;\n");
  const Disassembly read = cuda::disassemble(cubin, disassembler(scratch, "cat \"$1\""), {});
  CHECK(read.text == "S2UR UR4, SR_CLOCKLO ;\n");
  CHECK(read.why.empty());
  const Disassembly longer = cuda::disassemble(cubin, disassembler(scratch, "head -c 1000000 /dev/zero"), {});
  CHECK(longer.text.size() == 1000000);  // a log would have been cut in its middle
  CHECK(cuda::disassemble(cubin, disassembler(scratch, "exit 3"), {}).why.find("status 3") != std::string::npos);
  CHECK(cuda::disassemble(cubin, disassembler(scratch, "sleep 9"), {}, {0.2, 1ll << 30}).why.find("gave up") !=
        std::string::npos);
  CHECK(cuda::disassemble(cubin, "", {}).why == "no nvdisasm was found in PATH or in a toolkit");
}

TEST_CASE("behind walls a disassembler can be started, with its loader and libraries") {
  const Scratch scratch;
  const std::string cubin = scratch.path("module.cubin");
  write_file(cubin, "S2UR UR4, SR_CLOCKLO ;\n");
  const Disassembly read = cuda::disassemble(cubin, "/usr/bin/cat", walls_here());
  CHECK(read.why.empty());
  CHECK(read.text == "S2UR UR4, SR_CLOCKLO ;\n");
}
