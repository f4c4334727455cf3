#include "harness/callable/line.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "harness/core/error.h"

namespace harness::callable {
namespace {

constexpr std::size_t kLongestLine = std::size_t{64} << 20;
constexpr int kLookEvery_ms = 100;

bool write_all(int output, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(output, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

Line::Line(int input, int output, std::function<bool()> stop)
    : input_(input), output_(output), stop_(std::move(stop)) {}

json Line::read() {
  std::size_t searched = 0;
  for (;;) {
    if (const std::size_t end = pending_.find('\n', searched); end != std::string::npos) {
      json line = parse_json_if_valid(std::string_view(pending_).substr(0, end));
      pending_.erase(0, end + 1);
      if (!line.is_object())
        throw bad_input("harness callable: a line of the caller is no JSON object; see docs/callables.md");
      return line;
    }
    searched = pending_.size();
    if (searched > kLongestLine) throw bad_input("harness callable: a line of the caller is longer than 64 MiB");
    pollfd waits{input_, POLLIN, 0};
    const int ready = poll(&waits, 1, kLookEvery_ms);
    if (stop_()) ended_ = true;
    if (ended_) throw CallerGone{};
    if (ready <= 0) continue;
    char part[65536];
    const ssize_t got = ::read(input_, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      ended_ = true;
      throw CallerGone{};
    }
    pending_.append(part, static_cast<std::size_t>(got));
  }
}

json Line::ask(const std::string& what, json question) {
  if (ended_) throw CallerGone{};
  question["event"] = "ask";
  question["ask"] = what;
  question["id"] = ++asked_;
  if (!write_all(output_, json_text(question) + "\n")) {
    ended_ = true;
    throw CallerGone{};
  }
  json answer = read();
  if (answer.value("id", json()) != asked_)
    throw bad_input("harness callable: the caller answered another question than it was asked; see docs/callables.md");
  return answer;
}

}  // namespace harness::callable
