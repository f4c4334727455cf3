#include "harness/serve_http/live.h"

namespace harness::http {

using Clock = std::chrono::steady_clock;

LiveFeed::LiveFeed(std::function<std::string()> ask, std::chrono::milliseconds period)
    : ask_(std::move(ask)), period_(period), thread_([this] { work(); }) {}

LiveFeed::~LiveFeed() {
  end();
  thread_.join();
}

void LiveFeed::end() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  wanted_.notify_all();
}

LiveFeed::Moment LiveFeed::now() {
  std::unique_lock lock(mutex_);
  const auto begun = Clock::now();
  listened_ = begun;
  wanted_.notify_all();
  changed_.wait_for(lock, std::chrono::seconds(5), [&] { return over_ || asked_ + period_ >= begun; });
  return moment_;
}

LiveFeed::Moment LiveFeed::after(std::int64_t seen, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const auto until = Clock::now() + patience;
  while (!over_ && moment_.number <= seen && Clock::now() < until) {
    listened_ = Clock::now();
    wanted_.notify_all();
    changed_.wait_for(lock, period_);
  }
  return moment_;
}

void LiveFeed::work() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    const bool listening = Clock::now() - listened_ < 2 * period_ + std::chrono::seconds(1);
    if (!listening || listened_ == Clock::time_point{}) {
      wanted_.wait(lock);
      continue;
    }
    lock.unlock();
    std::string text = ask_();
    lock.lock();
    asked_ = Clock::now();
    if (text != moment_.text || moment_.number == 0) moment_ = {moment_.number + 1, std::move(text)};
    changed_.notify_all();
    wanted_.wait_for(lock, period_, [&] { return over_; });
  }
}

}  // namespace harness::http
