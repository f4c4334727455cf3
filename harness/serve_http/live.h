#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace harness::http {

/// What campaigns do now, as one text that everybody is told. A thread asks for it, and only while somebody listens.
class LiveFeed {
 public:
  struct Moment {
    std::int64_t number = 0;  // counts the changes
    std::string text;
  };
  /// `ask`: the text of now. It is called from one thread at a time.
  LiveFeed(std::function<std::string()> ask, std::chrono::milliseconds period);
  ~LiveFeed();
  LiveFeed(const LiveFeed&) = delete;
  LiveFeed& operator=(const LiveFeed&) = delete;

  /// The newest, at most a period old.
  Moment now();
  /// The first after `seen`; the same again where nothing changes for `patience`, or the feed ends.
  Moment after(std::int64_t seen, std::chrono::milliseconds patience);
  /// Wakes all that wait, for good.
  void end();

 private:
  void work();

  std::function<std::string()> ask_;
  std::chrono::milliseconds period_;
  std::mutex mutex_;
  std::condition_variable changed_, wanted_;
  Moment moment_;
  std::chrono::steady_clock::time_point asked_{}, listened_{};  // the last times
  bool over_ = false;
  std::thread thread_;
};

}  // namespace harness::http
