#pragma once
#include <optional>
#include <string>

namespace harness {

/// A small file that says how long this process has been awake (awake_seconds since its start), renewed every 10 ms. It
/// is in memory that the system keeps: after kill -9 it still says when the process ended. Removed when destroyed.
class Pulse {
 public:
  /// A file that cannot be made is none: a pulse is worth no error.
  explicit Pulse(std::string path);
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;
  ~Pulse();

 private:
  std::string path_;
  double* lived_s_ = nullptr;
};

/// How long a process had lived when its pulse was last renewed; nothing where there is no such file.
std::optional<double> last_pulse(const std::string& path);

}  // namespace harness
