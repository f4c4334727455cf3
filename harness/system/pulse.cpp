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

std::mutex pulses_mutex;
std::vector<double*>& pulses() {
  static auto* const all = new std::vector<double*>;  // the watching thread outlives every static
  return *all;
}

double lived_s() {
  return awake_seconds() - awake_at_start();
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
  pulses().push_back(lived_s_);
}

Pulse::~Pulse() {
  if (lived_s_ == nullptr) return;
  {
    const std::lock_guard lock(pulses_mutex);
    std::erase(pulses(), lived_s_);
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

void forget_pulses() {
  const std::lock_guard lock(pulses_mutex);
  pulses().clear();
}

void beat_pulses() {
  const double lived = lived_s();
  const std::lock_guard lock(pulses_mutex);
  for (double* pulse : pulses()) *pulse = lived;
}

}  // namespace harness
