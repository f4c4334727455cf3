#include "harness/script/sandbox/pattern.h"

#include <cctype>
#include <cstring>

namespace harness::script {
namespace {

constexpr char kEscape = '%';
constexpr int kDeepestMatch = 200;  // nested matches, as in Lua
constexpr std::int64_t kStepsPerReport = 4096;

unsigned char byte(char c) {
  return static_cast<unsigned char>(c);
}

bool in_class(unsigned char c, char name) {
  bool in = false;
  switch (std::tolower(byte(name))) {
    case 'a':
      in = std::isalpha(c) != 0;
      break;
    case 'c':
      in = std::iscntrl(c) != 0;
      break;
    case 'd':
      in = std::isdigit(c) != 0;
      break;
    case 'g':
      in = std::isgraph(c) != 0;
      break;
    case 'l':
      in = std::islower(c) != 0;
      break;
    case 'p':
      in = std::ispunct(c) != 0;
      break;
    case 's':
      in = std::isspace(c) != 0;
      break;
    case 'u':
      in = std::isupper(c) != 0;
      break;
    case 'w':
      in = std::isalnum(c) != 0;
      break;
    case 'x':
      in = std::isxdigit(c) != 0;
      break;
    case 'z':
      in = c == 0;
      break;
    default:
      return byte(name) == c;
  }
  return in != (std::isupper(byte(name)) != 0);
}

/// `set` is at '[' and `end` one past the matching ']'.
bool in_set(unsigned char c, const char* set, const char* end) {
  const char* p = set + 1;
  const char* last = end - 1;
  const bool negated = *p == '^';
  if (negated) ++p;
  while (p < last) {
    if (*p == kEscape && p + 1 < last) {
      if (in_class(c, p[1])) return !negated;
      p += 2;
    } else if (p + 2 < last && p[1] == '-') {
      if (byte(p[0]) <= c && c <= byte(p[2])) return !negated;
      p += 3;
    } else {
      if (byte(*p) == c) return !negated;
      ++p;
    }
  }
  return negated;
}

}  // namespace

PatternMatcher::PatternMatcher(const char* subject, std::size_t subject_size, const char* pattern,
                               std::size_t pattern_size, KeepGoing keep_going, void* data)
    : subject_(subject),
      subject_end_(subject + subject_size),
      pattern_(pattern),
      pattern_end_(pattern + pattern_size),
      keep_going_(keep_going),
      data_(data) {}

bool PatternMatcher::step() {
  if (++steps_ < kStepsPerReport) return true;
  out_of_steps_ = !keep_going_(data_, steps_);
  steps_ = 0;
  return !out_of_steps_;
}

const char* PatternMatcher::fail(const char* sentence) {
  error_ = sentence;
  return nullptr;
}

const char* PatternMatcher::match_at(const char* start) {
  level_ = 0;
  depth_ = 0;
  return match(start, pattern_);
}

const char* PatternMatcher::match(const char* s, const char* p) {
  if (++depth_ > kDeepestMatch) return fail("pattern too complex");
  const char* end = match_here(s, p);
  --depth_;
  return end;
}

/// Tail calls of the grammar are iterations here, so that depth counts choices only.
const char* PatternMatcher::match_here(const char* s, const char* p) {
  while (p != pattern_end_) {
    if (stopped() || !step()) return nullptr;
    if (*p == '(') {
      const bool position = p + 1 != pattern_end_ && p[1] == ')';
      return position ? open_capture(s, p + 2, kPosition) : open_capture(s, p + 1, kUnfinished);
    }
    if (*p == ')') return close_capture(s, p + 1);
    if (*p == '$' && p + 1 == pattern_end_) return s == subject_end_ ? s : nullptr;
    if (*p == kEscape && p + 1 != pattern_end_) {
      const char kind = p[1];
      if (kind == 'b') {
        s = match_balance(s, p + 2);
        p += 4;
        if (s == nullptr) return nullptr;
        continue;
      }
      if (kind == 'f') {
        const char* set = p + 2;
        if (set == pattern_end_ || *set != '[') return fail("missing '[' after '%f' in pattern");
        p = item_end(set);
        if (p == nullptr || !at_frontier(s, set, p)) return nullptr;
        continue;
      }
      if (std::isdigit(byte(kind)) != 0) {
        s = match_back_reference(s, kind);
        p += 2;
        if (s == nullptr) return nullptr;
        continue;
      }
    }
    const char* after = item_end(p);
    if (after == nullptr) return nullptr;
    const char suffix = after == pattern_end_ ? '\0' : *after;
    const bool here = matches_item(s, p, after);
    if (suffix == '*') return expand_greedy(s, p, after);
    if (suffix == '+') return here ? expand_greedy(s + 1, p, after) : nullptr;
    if (suffix == '-') return expand_lazy(s, p, after);
    if (suffix == '?') {
      if (here) {
        const char* end = match(s + 1, after + 1);
        if (end != nullptr || stopped()) return end;
      }
      p = after + 1;
      continue;
    }
    if (!here) return nullptr;
    ++s;
    p = after;
  }
  return s;
}

const char* PatternMatcher::item_end(const char* p) {
  if (*p == kEscape) {
    if (p + 1 == pattern_end_) return fail("malformed pattern (ends with '%')");
    return p + 2;
  }
  if (*p != '[') return p + 1;
  ++p;
  if (p != pattern_end_ && *p == '^') ++p;
  do {  // a ']' in the first place stands for itself
    if (p == pattern_end_) return fail("malformed pattern (missing ']')");
    if (*p++ == kEscape && p != pattern_end_) ++p;
    if (!step()) return nullptr;
  } while (p == pattern_end_ || *p != ']');
  return p + 1;
}

bool PatternMatcher::matches_item(const char* s, const char* p, const char* end) {
  if (s >= subject_end_) return false;
  steps_ += (end - p) / 8;  // a long set takes long
  const unsigned char c = byte(*s);
  if (*p == '.') return true;
  if (*p == kEscape) return in_class(c, p[1]);
  if (*p == '[') return in_set(c, p, end);
  return byte(*p) == c;
}

const char* PatternMatcher::expand_greedy(const char* s, const char* p, const char* end) {
  const char* reached = s;
  while (matches_item(reached, p, end)) {
    if (!step()) return nullptr;
    ++reached;
  }
  for (; reached >= s; --reached) {
    const char* found = match(reached, end + 1);
    if (found != nullptr || stopped()) return found;
  }
  return nullptr;
}

const char* PatternMatcher::expand_lazy(const char* s, const char* p, const char* end) {
  for (;; ++s) {
    const char* found = match(s, end + 1);
    if (found != nullptr || stopped()) return found;
    if (!matches_item(s, p, end) || !step()) return nullptr;
  }
}

const char* PatternMatcher::open_capture(const char* s, const char* p, std::ptrdiff_t length) {
  if (level_ >= kMostCaptures) return fail("too many captures");
  capture_[level_++] = {s, length};
  const char* found = match(s, p);
  if (found == nullptr) --level_;
  return found;
}

const char* PatternMatcher::close_capture(const char* s, const char* p) {
  int open = level_ - 1;
  while (open >= 0 && capture_[open].length != kUnfinished) --open;
  if (open < 0) return fail("invalid pattern capture");
  capture_[open].length = s - capture_[open].start;
  const char* found = match(s, p);
  if (found == nullptr) capture_[open].length = kUnfinished;
  return found;
}

const char* PatternMatcher::match_balance(const char* s, const char* p) {
  if (pattern_end_ - p < 2) return fail("malformed pattern (missing arguments to '%b')");
  if (s >= subject_end_ || *s != p[0]) return nullptr;
  int nested = 1;
  while (++s < subject_end_) {
    if (!step()) return nullptr;
    if (*s == p[1]) {
      if (--nested == 0) return s + 1;
    } else if (*s == p[0]) {
      ++nested;
    }
  }
  return nullptr;
}

const char* PatternMatcher::match_back_reference(const char* s, char digit) {
  const int index = digit - '1';
  if (index < 0 || index >= level_ || capture_[index].length == kUnfinished) {
    return fail("invalid capture index in pattern");
  }
  const auto length = capture_[index].length == kPosition ? 0 : capture_[index].length;
  steps_ += length / 8;
  if (subject_end_ - s < length || std::memcmp(capture_[index].start, s, static_cast<std::size_t>(length)) != 0) {
    return nullptr;
  }
  return s + length;
}

bool PatternMatcher::at_frontier(const char* s, const char* set, const char* set_end) const {
  const unsigned char last = s == subject_ ? '\0' : byte(s[-1]);
  const unsigned char here = s == subject_end_ ? '\0' : byte(*s);
  return !in_set(last, set, set_end) && in_set(here, set, set_end);
}

}  // namespace harness::script
