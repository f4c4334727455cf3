#include <filesystem>

#include "harness/core/error.h"
#include "harness/script/contract/kernel.h"
#include "tests/fuzz/entries.h"

namespace harness::fuzz {

void manifest(const std::uint8_t* data, std::size_t bytes) {
  const std::filesystem::path file = file_of("kernel.lua", data, bytes);
  try {
    script::KernelManifest kernel(file.parent_path(), "kernels/fuzz", {}, {"cpu", "cuda"});
    for (const Workload& workload : kernel.workloads()) kernel.problem(workload.name);
  } catch (const Error&) {
  }
}

}  // namespace harness::fuzz
