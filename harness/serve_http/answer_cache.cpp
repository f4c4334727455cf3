#include "harness/serve_http/answer_cache.h"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>

namespace harness::http {
namespace {

constexpr std::int64_t kNanosecondsPerSecond = 1'000'000'000;
// The clock of files ticks every few milliseconds: two changes within a tick look alike.
constexpr std::int64_t kSettled_ns = 50'000'000;

std::int64_t nanoseconds(const timespec& time) {
  return time.tv_sec * kNanosecondsPerSecond + time.tv_nsec;
}

}  // namespace

std::optional<StoreStamp> settled_stamp(const std::string& path) {
  struct stat database {};
  struct stat log {};
  if (stat(path.c_str(), &database) != 0) return std::nullopt;
  if (stat((path + "-wal").c_str(), &log) != 0) log = {};
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  const std::int64_t changed = std::max(nanoseconds(database.st_mtim), nanoseconds(log.st_mtim));
  const std::int64_t age = nanoseconds(now) - changed;
  if (age < kSettled_ns) return std::nullopt;
  return StoreStamp{static_cast<std::int64_t>(database.st_ino), database.st_size, nanoseconds(database.st_mtim),
                    static_cast<std::int64_t>(log.st_ino),      log.st_size,      nanoseconds(log.st_mtim)};
}

void AnswerCache::begin_anew(const StoreStamp& stamp) {
  answers_.clear();
  bytes_ = 0;
  stamp_ = stamp;
}

std::optional<std::string> AnswerCache::find(const std::string& question, const StoreStamp& stamp) {
  const std::lock_guard lock(mutex_);
  if (stamp != stamp_) return std::nullopt;
  const auto found = answers_.find(question);
  if (found == answers_.end()) return std::nullopt;
  return found->second;
}

std::shared_ptr<std::mutex> AnswerCache::turn(const std::string& question) {
  constexpr std::size_t kMostTurns = 256;
  const std::lock_guard lock(mutex_);
  if (turns_.size() > kMostTurns) std::erase_if(turns_, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<std::mutex>& known = turns_[question];
  std::shared_ptr<std::mutex> turn = known.lock();
  if (!turn) known = turn = std::make_shared<std::mutex>();
  return turn;
}

void AnswerCache::keep(const std::string& question, const StoreStamp& stamp, const std::string& answer) {
  const std::lock_guard lock(mutex_);
  const std::size_t bytes = question.size() + answer.size();
  if (bytes > most_bytes_ / 4) return;
  if (stamp != stamp_ || bytes_ + bytes > most_bytes_) begin_anew(stamp);
  if (answers_.emplace(question, answer).second) bytes_ += bytes;
}

}  // namespace harness::http
