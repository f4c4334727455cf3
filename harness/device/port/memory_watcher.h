#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/device.h"
#include "harness/core/memory_check.h"
#include "harness/device/port/target.h"

namespace harness {

/// Where a buffer lay while a plan was watched: its addresses in the log become names.
struct PlacedBuffer {
  std::string name;
  std::uint64_t address = 0;
  std::int64_t bytes = 0, element_bytes = 1;
};

/// What a tool's log says.
struct WatchedLog {
  std::vector<Finding> findings;
  bool complete = false;  // the tool got to its closing line; if not, it did not work on this machine or was stopped
};

/// A program that watches another process use a device, such as compute-sanitizer: it has tools, each of which starts
/// the process anew and writes a log. Holds nothing; the supervisor and the watched process each have one.
class MemoryWatcher {
 public:
  using TellPlaces = std::function<void(const std::vector<PlacedBuffer>&)>;

  virtual ~MemoryWatcher() = default;
  virtual std::string name() const = 0;
  virtual std::vector<std::string> tools() const = 0;
  /// Its path; "" where it is not installed.
  virtual std::string find_program() const = 0;
  /// Its arguments before those of the watched program. It is to end with status `found` if the tool found anything.
  virtual std::vector<std::string> arguments(const std::string& tool, const std::string& log, int found) const = 0;
  /// The watched process: runs the plan once on a copy of the painted image. `placed` is told where the buffers are
  /// before anything runs. Throws as Session::run does.
  virtual void run(const Target& target, const Executable& executable, std::span<const std::byte> image,
                   const std::string& tool, const TellPlaces& placed) const = 0;
  virtual WatchedLog read(std::string_view log, const std::vector<PlacedBuffer>& buffers) const = 0;
};

void to_json(json& to, const PlacedBuffer& value);
void from_json(const json& from, PlacedBuffer& value);

}  // namespace harness
