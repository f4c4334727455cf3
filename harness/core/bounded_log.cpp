#include "harness/core/bounded_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace harness {
namespace {

// Never a broken character at a cut: the bytes 10xxxxxx continue one.
bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

}  // namespace

void BoundedLog::append(std::string_view text) {
  const std::size_t room = std::min(half_ - head_.size(), text.size());
  head_.append(text.substr(0, room));
  text.remove_prefix(room);
  if (text.size() > half_) {
    cut_ += tail_.size() + text.size() - half_;
    tail_.assign(text.substr(text.size() - half_));
    return;
  }
  tail_.append(text);
  if (tail_.size() <= 2 * half_) return;  // trimmed now and then, not at each append
  cut_ += tail_.size() - half_;
  tail_.erase(0, tail_.size() - half_);
}

std::string BoundedLog::text() const {
  const std::size_t surplus = tail_.size() > half_ ? tail_.size() - half_ : 0;
  std::size_t cut = cut_ + surplus;
  if (cut == 0) return head_ + tail_;
  std::size_t end = head_.size(), begin = surplus;
  while (begin < tail_.size() && continues_character(tail_[begin])) ++begin;
  while (end > 0 && continues_character(head_[end - 1])) --end;
  if (end > 0 && static_cast<unsigned char>(head_[end - 1]) >= 0xC0) --end;
  cut += begin - surplus + head_.size() - end;
  return fmt::format("{}\n[{} bytes of the log are cut here]\n{}", std::string_view(head_).substr(0, end), cut,
                     std::string_view(tail_).substr(begin));
}

std::string bounded(std::string_view text, std::size_t limit) {
  BoundedLog log(limit);
  log.append(text);
  return log.text();
}

}  // namespace harness
