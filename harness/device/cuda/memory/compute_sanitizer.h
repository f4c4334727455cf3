#pragma once
#include <string>
#include <vector>

#include "harness/device/port/memory_watcher.h"

namespace harness::cuda {

/// NVIDIA's compute-sanitizer: memcheck, racecheck, initcheck and synccheck, one process each.
class ComputeSanitizer : public MemoryWatcher {
 public:
  std::string name() const override { return "compute-sanitizer"; }
  std::vector<std::string> tools() const override { return {"memcheck", "racecheck", "initcheck", "synccheck"}; }
  /// In PATH, then in the toolkit's bin folder.
  std::string find_program() const override;
  std::vector<std::string> arguments(const std::string& tool, const std::string& log, int exit_code) const override;
  void run(const Target& target, const Executable& executable, std::span<const std::byte> image,
           const std::string& tool, const TellPlaces& placed) const override;
  WatchedLog read(std::string_view log, const std::vector<PlacedBuffer>& buffers) const override;
};

}  // namespace harness::cuda
