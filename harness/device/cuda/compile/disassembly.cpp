#include "harness/device/cuda/compile/disassembly.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/device/cuda/api/toolkit.h"
#include "harness/system/run_program.h"

namespace harness::cuda {

std::string find_disassembler() {
  std::vector<std::string> folders;
  for (const std::string& root : toolkit_roots()) folders.push_back(root + "/bin");
  return find_program("nvdisasm", folders);
}

Disassembly disassemble(const std::string& path, const std::string& program, const Walls& walls,
                        const CompileLimits& limits) {
  constexpr std::size_t kMostBytes = 64 << 20;
  if (program.empty()) return {"", "no nvdisasm was found in PATH or in a toolkit"};
  std::error_code unresolved;
  const std::string real = std::filesystem::canonical(program, unresolved).string();
  // Starting a program is starting its loader, which lies among the libraries.
  const Reach reach{{path, "/etc/ld.so.cache"},
                    {program, unresolved ? program : real, "/lib", "/lib64", "/usr/lib", "/usr/lib64"},
                    ""};
  try {
    const ProcessResult result = run_process({program, path}, "/tmp", limits, {walls, reach}, kMostBytes);
    if (result.timed_out) return {"", fmt::format("{} gave up after {} s", program, limits.deadline_s)};
    if (result.exit_status != 0) return {"", fmt::format("{} ended with status {}", program, result.exit_status)};
    if (result.output.size() >= kMostBytes) return {"", "the machine code is too long to be looked at"};
    return {result.output, ""};
  } catch (const Error& error) {
    return {"", error.what()};
  }
}

}  // namespace harness::cuda
