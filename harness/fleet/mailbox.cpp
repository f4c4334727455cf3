#include "harness/fleet/mailbox.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "harness/core/error.h"

namespace harness::fleet {
namespace {

using namespace std::chrono_literals;
constexpr auto kBeat = 1s;
constexpr auto kAskAgain = 2s;
constexpr std::size_t kKeptAnswers = 8;

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // the reader notices that the other side has gone
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

// A pseudo-terminal would echo, cut lines at 4096 bytes and take some bytes for commands.
void make_raw(int descriptor) {
  termios state{};
  if (isatty(descriptor) == 0 || tcgetattr(descriptor, &state) != 0) return;
  cfmakeraw(&state);
  tcsetattr(descriptor, TCSANOW, &state);
}

}  // namespace

Mailbox::Mailbox(int input, int output) : input_(input), output_(output) {
  make_raw(input_);
  reader_ = std::thread([this] { read(); });
  beater_ = std::thread([this] { beat(); });
}

Mailbox::~Mailbox() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  reader_.join();
  beater_.join();
}

void Mailbox::send(const json& message) {
  const std::string line = framed(Side::node, message);
  const std::lock_guard lock(writing_);
  write_all(output_, line);
}

void Mailbox::read() {
  Lines lines(Side::lead);
  char buffer[65536];
  for (;;) {
    pollfd ready{input_, POLLIN, 0};
    const int count = poll(&ready, 1, 100);
    {
      const std::lock_guard lock(mutex_);
      if (closing_) return;
    }
    if (count == 0 || (count < 0 && errno == EINTR)) continue;
    const ssize_t got = ::read(input_, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    lines.add({buffer, static_cast<std::size_t>(got)});
    try {
      while (const auto message = lines.next()) receive(*message);
    } catch (const Error&) {
      break;
    }
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

void Mailbox::beat() {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    const json message = {{"beat", true}, {"at", working_}};
    lock.unlock();
    send(message);
    lock.lock();
    changed_.wait_for(lock, kBeat, [this] { return closing_; });
  }
}

void Mailbox::receive(const json& message) {
  std::optional<json> again;
  {
    const std::lock_guard lock(mutex_);
    if (message.contains("reply")) {
      replies_[message.at("reply").get<std::int64_t>()] = message.value("value", json());
    } else if (message.contains("cancel")) {
      if (message.at("cancel") == working_) cancel_ = true;
      std::erase_if(calls_, [&](const json& call) { return call.at("id") == message.at("cancel"); });
    } else if (message.contains("call") && message.contains("id")) {
      const auto id = message.at("id").get<std::int64_t>();
      if (seen_.insert(id).second) calls_.push_back(message);
      else if (const auto earlier = answers_.find(id); earlier != answers_.end()) again = earlier->second;
    }
  }
  changed_.notify_all();
  if (again) send(*again);
}

std::optional<json> Mailbox::take(const std::function<bool()>& give_up) {
  std::unique_lock lock(mutex_);
  while (calls_.empty()) {
    if (ended_ || (give_up && give_up())) return std::nullopt;
    changed_.wait_for(lock, 100ms);
  }
  json call = std::move(calls_.front());
  calls_.pop_front();
  working_ = call.at("id").get<std::int64_t>();
  cancel_ = false;
  return call;
}

void Mailbox::answer(const json& answer) {
  json message;
  {
    const std::lock_guard lock(mutex_);
    message = answer;
    message["id"] = working_;
    answers_[working_] = message;
    while (answers_.size() > kKeptAnswers) answers_.erase(answers_.begin());
    working_ = 0;
  }
  send(message);
}

json Mailbox::ask(json question) {
  std::unique_lock lock(mutex_);
  const std::int64_t number = ++questions_;
  question["question"] = number;
  question["of"] = working_;
  while (!ended_or_cancelled()) {
    lock.unlock();
    send(question);
    lock.lock();
    if (!changed_.wait_for(lock, kAskAgain, [&] { return replies_.contains(number) || ended_or_cancelled(); }))
      continue;
    if (const auto reply = replies_.find(number); reply != replies_.end()) {
      json value = std::move(reply->second);
      replies_.erase(reply);
      return value;
    }
  }
  return nullptr;
}

bool Mailbox::cancelled() {
  const std::lock_guard lock(mutex_);
  return ended_or_cancelled();
}

}  // namespace harness::fleet
