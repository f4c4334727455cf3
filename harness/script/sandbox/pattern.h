#pragma once
#include <cstddef>
#include <cstdint>

namespace harness::script {

/// Lua 5.4's patterns with a budget of steps: the library's own matcher backtracks for as long as it takes (20 s were
/// seen) with no hook called. Owns nothing; errors are values, because its callers may be left by longjmp.
class PatternMatcher {
 public:
  static constexpr int kMostCaptures = 32;
  static constexpr std::ptrdiff_t kUnfinished = -1, kPosition = -2;

  struct Capture {
    const char* start = nullptr;
    std::ptrdiff_t length = kUnfinished;
  };

  /// `keep_going(data, steps)` is told of every few thousand steps; false ends the match with out_of_steps().
  using KeepGoing = bool (*)(void* data, std::int64_t steps);

  PatternMatcher(const char* subject, std::size_t subject_size, const char* pattern, std::size_t pattern_size,
                 KeepGoing keep_going, void* data);

  /// End of the match that starts exactly at `start`, or null: no match, or error() or out_of_steps().
  const char* match_at(const char* start);

  const char* error() const { return error_; }  // a sentence, null: none
  bool out_of_steps() const { return out_of_steps_; }
  int captures() const { return level_; }
  const Capture& capture(int i) const { return capture_[i]; }
  const char* subject() const { return subject_; }
  const char* subject_end() const { return subject_end_; }

 private:
  const char* match(const char* s, const char* p);
  const char* match_here(const char* s, const char* p);
  const char* expand_greedy(const char* s, const char* p, const char* item_end);
  const char* expand_lazy(const char* s, const char* p, const char* item_end);
  const char* open_capture(const char* s, const char* p, std::ptrdiff_t length);
  const char* close_capture(const char* s, const char* p);
  const char* match_balance(const char* s, const char* p);
  const char* match_back_reference(const char* s, char digit);
  bool at_frontier(const char* s, const char* set, const char* set_end) const;
  const char* item_end(const char* p);
  bool matches_item(const char* s, const char* p, const char* end);
  bool step();
  const char* fail(const char* sentence);
  bool stopped() const { return error_ != nullptr || out_of_steps_; }

  const char* subject_;
  const char* subject_end_;
  const char* pattern_;
  const char* pattern_end_;
  KeepGoing keep_going_;
  void* data_;
  std::int64_t steps_ = 0;
  int depth_ = 0;
  int level_ = 0;
  bool out_of_steps_ = false;
  const char* error_ = nullptr;
  Capture capture_[kMostCaptures];
};

}  // namespace harness::script
