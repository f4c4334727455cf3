#include "harness/device/cuda/memory/compute_sanitizer.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "harness/device/cuda/memory/sanitizer_log.h"
#include "harness/device/cuda/run/separate_run.h"

namespace harness::cuda {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
  return fs::is_regular_file(path) && access(path.c_str(), X_OK) == 0;
}

std::vector<fs::path> program_folders() {
  std::vector<fs::path> folders;
  const char* path = std::getenv("PATH");
  std::istringstream parts(path ? path : "");
  for (std::string folder; std::getline(parts, folder, ':');) folders.emplace_back(folder);
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(name);
    if (root && *root) folders.push_back(fs::path(root) / "bin");
  }
  folders.emplace_back("/usr/local/cuda/bin");
  return folders;
}

std::int64_t element_bytes(const Problem& problem, const std::string& name) {
  const Argument* argument = find_argument(problem, name);
  return argument && is_tensor(argument->kind) ? storage_bytes(argument->dtype) : 1;
}

}  // namespace

std::string ComputeSanitizer::find_program() const {
  for (const fs::path& folder : program_folders()) {
    if (is_program(folder / name())) return (folder / name()).string();
  }
  return "";
}

std::vector<std::string> ComputeSanitizer::arguments(const std::string& tool, const std::string& log, int found) const {
  std::vector<std::string> words{"--tool",     tool, "--error-exitcode", std::to_string(found),
                                 "--log-file", log,  "--print-limit",    "20"};
  // A call that the driver refuses (a symbol that a module lacks, a limit) is ours and no fault of device code.
  if (tool == "memcheck") words.insert(words.end(), {"--report-api-errors", "no"});
  return words;
}

void ComputeSanitizer::run(const Target& target, const Executable& executable, std::span<const std::byte> image,
                           const std::string& tool, const TellPlaces& placed) const {
  const auto tell = [&](const std::vector<SeparateBuffer>& buffers) {
    std::vector<PlacedBuffer> known;
    for (const SeparateBuffer& b : buffers)
      known.push_back({b.name, b.address, b.bytes, element_bytes(executable.problem, b.name)});
    placed(known);
  };
  run_separately(device_number(target.device), executable, image, tool == "initcheck", tell);
}

WatchedLog ComputeSanitizer::read(std::string_view log, const std::vector<PlacedBuffer>& buffers) const {
  return {read_sanitizer_log(log, buffers), has_sanitizer_summary(log)};
}

}  // namespace harness::cuda
