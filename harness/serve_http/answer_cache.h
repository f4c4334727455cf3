#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace harness::http {

/// What the system says of a store's files: file, size and last change of the database and of its write-ahead log.
using StoreStamp = std::array<std::int64_t, 6>;

/// Nothing where there is no store, or it changed so lately that a further change might not show.
std::optional<StoreStamp> settled_stamp(const std::string& path);

/// Answers to questions that were asked before, for as long as the store stays as it is. Any number of threads.
class AnswerCache {
 public:
  explicit AnswerCache(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  std::optional<std::string> find(const std::string& question, const StoreStamp& stamp);
  /// `stamp`: from before the question was asked.
  void keep(const std::string& question, const StoreStamp& stamp, const std::string& answer);
  /// For who must make the answer: all others that ask the same wait for it, instead of making it as well.
  std::shared_ptr<std::mutex> turn(const std::string& question);

 private:
  void begin_anew(const StoreStamp& stamp);

  std::size_t most_bytes_, bytes_ = 0;
  std::mutex mutex_;
  StoreStamp stamp_{};
  std::unordered_map<std::string, std::string> answers_;
  std::unordered_map<std::string, std::weak_ptr<std::mutex>> turns_;
};

}  // namespace harness::http
