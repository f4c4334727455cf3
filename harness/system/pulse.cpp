#include "harness/system/pulse.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <vector>

#include "harness/system/awake_clock.h"
#include "harness/system/descriptor.h"
#include "harness/system/files.h"

namespace harness {
namespace {

/// Those of one process: what a forked child finds here is its parent's.
struct Pulses {
  pid_t owner = 0;
  std::vector<double*> lived_s;
};

std::mutex pulses_mutex;
Pulses& own_pulses() {
  static auto* const pulses = new Pulses;  // the watching thread outlives every static
  if (pulses->owner != getpid()) *pulses = {getpid(), {}};
  return *pulses;
}

double lived_s() {
  return awake_seconds() - awake_at_start();
}

void beat_pulses() {
  const double lived = lived_s();
  const std::lock_guard lock(pulses_mutex);
  for (double* pulse : own_pulses().lived_s) *pulse = lived;
}

/// Room is reserved before it is mapped: on a full disk a store into the file would end the process.
double* map_pulse(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (file.get() < 0 || posix_fallocate(file.get(), 0, sizeof(double)) != 0) return nullptr;
  void* const place = mmap(nullptr, sizeof(double), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  return place == MAP_FAILED ? nullptr : static_cast<double*>(place);
}

}  // namespace

Pulse::Pulse(std::string path) : path_(std::move(path)), lived_s_(map_pulse(path_)) {
  if (lived_s_ == nullptr) return;
  *lived_s_ = lived_s();
  const std::lock_guard lock(pulses_mutex);
  own_pulses().lived_s.push_back(lived_s_);
  call_when_awake(beat_pulses);
}

Pulse::~Pulse() {
  if (lived_s_ == nullptr) return;
  {
    const std::lock_guard lock(pulses_mutex);
    std::erase(own_pulses().lived_s, lived_s_);
  }
  munmap(lived_s_, sizeof(double));
  unlink(path_.c_str());
}

std::optional<double> last_pulse(const std::string& path) {
  const std::optional<std::string> bytes = read_file_if_any(path);
  double lived = 0;
  if (!bytes || bytes->size() != sizeof lived) return std::nullopt;
  std::memcpy(&lived, bytes->data(), sizeof lived);
  constexpr double kLongestS = 10 * 365 * 86400.0;  // anything else is damage
  if (!std::isfinite(lived) || lived < 0 || lived > kLongestS) return std::nullopt;
  return lived;
}

}  // namespace harness
