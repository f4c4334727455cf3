#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace harness {

/// The text of a program that may write without end: its head and its tail are kept, about half of `limit` bytes each,
/// and a sentence between them says how much was cut.
class BoundedLog {
 public:
  static constexpr std::size_t kLimit = 64 << 10;

  explicit BoundedLog(std::size_t limit = kLimit) : half_(limit / 2) {}
  void append(std::string_view text);
  std::string text() const;

 private:
  std::size_t half_;
  std::size_t cut_ = 0;
  std::string head_, tail_;
};

/// A finished text, cut the same way.
std::string bounded(std::string_view text, std::size_t limit = BoundedLog::kLimit);

}  // namespace harness
