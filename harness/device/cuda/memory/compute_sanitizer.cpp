#include "harness/device/cuda/memory/compute_sanitizer.h"

#include <cstdlib>

#include "harness/device/cuda/memory/sanitizer_log.h"
#include "harness/device/cuda/run/separate_run.h"
#include "harness/system/run_program.h"

namespace harness::cuda {
namespace {

std::int64_t element_bytes(const Problem& problem, const std::string& name) {
  const Argument* argument = find_argument(problem, name);
  return argument && is_tensor(argument->kind) ? storage_bytes(argument->dtype) : 1;
}

}  // namespace

std::string ComputeSanitizer::find_program() const {
  std::vector<std::string> folders;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(variable);
    if (root && *root) folders.push_back(std::string(root) + "/bin");
  }
  folders.push_back("/usr/local/cuda/bin");
  return harness::find_program(name(), folders);
}

std::vector<std::string> ComputeSanitizer::arguments(const std::string& tool, const std::string& log,
                                                     int exit_code) const {
  std::vector<std::string> words{"--tool",     tool, "--error-exitcode", std::to_string(exit_code),
                                 "--log-file", log,  "--print-limit",    "20"};
  // A call that the driver refuses (a symbol that a module lacks, a limit) is ours and no fault of device code.
  if (tool == "memcheck") words.insert(words.end(), {"--report-api-errors", "no"});
  return words;
}

void ComputeSanitizer::run(const Target& target, const Executable& executable, std::span<const std::byte> image,
                           const std::string& tool, const TellPlaces& placed) const {
  const auto tell = [&](const std::vector<SeparateBuffer>& buffers) {
    std::vector<PlacedBuffer> named;
    for (const SeparateBuffer& b : buffers)
      named.push_back({b.name, b.address, b.bytes, element_bytes(executable.problem, b.name)});
    placed(named);
  };
  run_separately(device_number(target.device), executable, image, tool == "initcheck", tell);
}

WatchedLog ComputeSanitizer::read(std::string_view log, const std::vector<PlacedBuffer>& buffers) const {
  return {read_sanitizer_log(log, buffers), has_sanitizer_summary(log)};
}

}  // namespace harness::cuda
