#include "harness/worker/processes/device_lock.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include "harness/core/error.h"

namespace harness {
namespace {

// A waiter asks this often: timings take tenths of a second and what lies between two of them milliseconds.
constexpr auto kPatience = std::chrono::milliseconds(1);

std::time_t command_start() {
  static const std::time_t start = std::time(nullptr);  // for people only; nothing is decided by it
  return start;
}

// For every user, as /tmp itself: anybody may add a file, nobody may remove another's.
void make_lock_folder(const std::string& folder) {
  constexpr mode_t kForAll = 01777;
  if (mkdir(folder.c_str(), kForAll) == 0) chmod(folder.c_str(), kForAll);  // whatever the umask
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    throw environment_error(fmt::format(
        "{} should be the folder of the device locks and is no folder; remove it, then run this again", folder));
}

// An existing file is opened without O_CREAT: in a sticky folder the kernel may refuse that for another user's file.
int open_lock_file(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  for (int attempt = 0; attempt < 3; ++attempt) {
    int file = open(path.c_str(), kFlags);
    if (file >= 0 || errno != ENOENT) return file;
    file = open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0666);
    if (file >= 0) fchmod(file, 0666);  // whatever the umask
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

bool is_plain_file(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

}  // namespace

std::string lock_name(std::string identity) {
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '-'; };
  std::replace_if(
      identity.begin(), identity.end(), [&](unsigned char c) { return !is_plain(c); }, '-');
  return identity;
}

DeviceLock::DeviceLock(std::string device, const std::string& identity, const std::string& folder)
    : device_(std::move(device)) {
  command_start();
  make_lock_folder(folder);
  const std::string path = folder + "/" + lock_name(identity);
  file_ = open_lock_file(path);
  if (file_ >= 0 && is_plain_file(file_)) return;
  const std::string why = file_ >= 0 ? "it is no plain file" : std::strerror(errno);
  if (file_ >= 0) close(file_);
  throw environment_error(fmt::format(
      "cannot open {}, the lock of device {}: {}; remove it or make it writable for all", path, device_, why));
}

DeviceLock::~DeviceLock() {
  if (file_ >= 0) close(file_);
}

DeviceLock::Hold::~Hold() {
  if (lock_ != nullptr) lock_->release();
}

bool DeviceLock::take() {
  if (holds_ == 0) {
    if (flock(file_, LOCK_EX | LOCK_NB) != 0) return false;
    sign();
  }
  ++holds_;
  return true;
}

void DeviceLock::release() {
  if (--holds_ == 0) flock(file_, LOCK_UN);
}

std::optional<DeviceLock::Hold> DeviceLock::acquire(const OnWait& on_wait, const std::function<bool()>& stop,
                                                    double timeout_s) {
  using Clock = std::chrono::steady_clock;
  if (take()) return Hold(this);
  const auto begin = Clock::now();
  std::string announced;
  while (timeout_s < 0 || Clock::now() - begin < std::chrono::duration<double>(timeout_s)) {
    if (stop && stop()) return std::nullopt;
    if (on_wait) {
      const std::string holder = holder_in_words();
      if (holder != announced) on_wait(fmt::format("waiting for {}: {} is timing on it", device_, holder));
      announced = holder;
    }
    std::this_thread::sleep_for(kPatience);
    if (take()) return Hold(this);
  }
  return std::nullopt;
}

// One write of fixed length, so that a reader never sees a part of two. Not needed to be right: it is only told.
void DeviceLock::sign() const {
  const std::string text = fmt::format("{:<12}{:<20}\n", getpid(), command_start());
  if (pwrite(file_, text.data(), text.size(), 0) < 0) return;  // a full disk takes the name, not the lock
}

std::string DeviceLock::holder_in_words() const {
  char text[33] = {};
  long pid = 0;
  long long since = 0;
  if (pread(file_, text, sizeof text - 1, 0) <= 0 || std::sscanf(text, "%ld %lld", &pid, &since) != 2)
    return "another harness";
  const std::time_t time = static_cast<std::time_t>(since);
  std::tm local{};
  if (localtime_r(&time, &local) == nullptr) return fmt::format("another harness (pid {})", pid);
  return fmt::format("another harness (pid {}, since {:%H:%M})", pid, local);
}

}  // namespace harness
