#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace harness {

/// Only one process times on a device: a file of the device's own in a folder of the machine's own, locked by flock, so
/// that the kernel releases it if its holder dies. Not thread-safe. Taking it uncontended costs a few microseconds.
class DeviceLock {
 public:
  /// Told once for each holder that is waited for:
  /// "waiting for cuda:0: another harness (pid 123, since 14:03) is timing on it".
  using OnWait = std::function<void(const std::string& sentence)>;

  /// `device`: "cpu", "cuda:0", for people; `identity`: what names the same device in every process
  /// (DeviceKind::identity). Throws Error(environment) if `folder` or the file cannot be used.
  DeviceLock(std::string device, const std::string& identity, const std::string& folder = "/tmp/harness-locks");
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;
  ~DeviceLock();

  /// The device, until it is destroyed; must not outlive its lock.
  class Hold {
   public:
    Hold(Hold&& other) noexcept : lock_(std::exchange(other.lock_, nullptr)) {}
    Hold& operator=(Hold&&) = delete;
    ~Hold();

   private:
    friend class DeviceLock;
    explicit Hold(DeviceLock* lock) : lock_(lock) {}
    DeviceLock* lock_;
  };

  /// Waits for it. None if `stop` says so, or after `timeout_s` (negative: never). Whoever holds it already gets it
  /// again at once.
  std::optional<Hold> acquire(const OnWait& on_wait = {}, const std::function<bool()>& stop = {},
                              double timeout_s = -1);
  std::optional<Hold> try_acquire() { return acquire({}, {}, 0); }

 private:
  bool take();
  void release();
  void sign() const;
  std::string holder_in_words() const;

  std::string device_;
  int file_ = -1;
  int holds_ = 0;
};

/// An identity as a file name.
std::string lock_name(std::string identity);

}  // namespace harness
