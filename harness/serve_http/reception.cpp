#include "harness/serve_http/reception.h"

#include <poll.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

#include "harness/core/error.h"

namespace harness::http {
namespace {

constexpr std::chrono::milliseconds kSweep{250};
constexpr std::size_t kLongestHead = 16 << 10;
constexpr std::chrono::seconds kLeaving{1};

int opened(int handle) {
  if (handle < 0) throw environment_error("the system has no handle left to wait for connections");
  return handle;
}

/// The value of a header line; nothing where there is none. `head` ends with an empty line.
std::optional<std::string_view> header_value(std::string_view head, std::string_view name) {
  for (std::size_t at = head.find('\n'); at != std::string_view::npos; at = head.find('\n', at + 1)) {
    const std::string_view line = head.substr(at + 1, head.find('\n', at + 1) - at - 1);
    if (line.size() <= name.size() || line[name.size()] != ':') continue;
    if (strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
    const std::size_t begin = std::min(line.find_first_not_of(" \t", name.size() + 1), line.size());
    return line.substr(begin);
  }
  return std::nullopt;
}

struct Lengths {
  std::size_t head = 0, body = 0;  // head 0: it has not come whole
};

Lengths lengths_of(std::string_view text) {
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string_view::npos) return {};
  Lengths lengths{end + 4, 0};
  const auto value = header_value(text.substr(0, lengths.head), "content-length");
  if (value) std::from_chars(value->data(), value->data() + value->size(), lengths.body);
  return lengths;
}

/// -1: the client is gone.
ssize_t taken_now(int socket, const char* text, std::size_t size) {
  std::size_t sent = 0;
  while (sent < size) {
    const ssize_t now = ::send(socket, text + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return -1;
    if (now < 0) break;
    sent += static_cast<std::size_t>(now);
  }
  return static_cast<ssize_t>(sent);
}

}  // namespace

std::size_t whole_request(const std::string& text) {
  const Lengths lengths = lengths_of(text);
  return lengths.head > 0 && text.size() - lengths.head >= lengths.body ? lengths.head + lengths.body : 0;
}

bool of_unknown_length(const std::string& text) {
  return header_value(std::string_view(text).substr(0, lengths_of(text).head), "transfer-encoding").has_value();
}

bool send_now(Connection& connection, const char* text, std::size_t size) {
  ssize_t sent = 0;
  if (connection.left() == 0) sent = taken_now(connection.socket, text, size);
  if (sent < 0) return false;
  connection.out.append(text + sent, size - static_cast<std::size_t>(sent));
  return true;
}

bool send_left(Connection& connection, std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    const ssize_t sent = taken_now(connection.socket, connection.out.data() + connection.sent, connection.left());
    if (sent < 0) return false;
    connection.sent += static_cast<std::size_t>(sent);
    if (connection.left() == 0) break;
    const auto still = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd ready{connection.socket, POLLOUT, 0};
    if (still.count() <= 0 || poll(&ready, 1, static_cast<int>(still.count())) == 0) return false;
  }
  connection.out.clear();
  connection.sent = 0;
  return true;
}

Reception::Reception(ReceptionLimits limits, int threads, Work work)
    : limits_(limits),
      work_(std::move(work)),
      poll_(opened(epoll_create1(EPOLL_CLOEXEC))),
      wake_(opened(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))) {
  epoll_event event{EPOLLIN, {.fd = wake_}};
  epoll_ctl(poll_, EPOLL_CTL_ADD, wake_, &event);
  threads_.emplace_back([this] { listen(); });
  for (int number = 0; number < threads; ++number) threads_.emplace_back([this] { this->work(); });
}

Reception::~Reception() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  wanted_.notify_all();
  eventfd_write(wake_, 1);
  for (std::thread& thread : threads_) thread.join();
  for (const auto& [socket, connection] : all_) ::close(socket);
  ::close(wake_);
  ::close(poll_);
}

void Reception::take(int socket) {
  const std::lock_guard lock(mutex_);
  if (over_ || (all_.size() >= limits_.connections && !make_room())) {
    ::close(socket);
    return;
  }
  auto connection = std::make_unique<Connection>();
  connection->socket = socket;
  connection->deadline = Clock::now() + limits_.idle;
  epoll_event event{EPOLLIN | EPOLLONESHOT, {.fd = socket}};
  if (epoll_ctl(poll_, EPOLL_CTL_ADD, socket, &event) == 0) all_[socket] = std::move(connection);
  else ::close(socket);
}

/// Whoever has asked for nothing goes first, then who is the slowest to ask, to take, or to go.
bool Reception::make_room() {
  const Connection* first = nullptr;
  const auto before = [](const Connection& a, const Connection& b) {
    const bool a_says = !a.in.empty() || a.left() > 0, b_says = !b.in.empty() || b.left() > 0;
    return a_says != b_says ? b_says : a.deadline < b.deadline;
  };
  for (const auto& [socket, connection] : all_)
    if (connection->state != Connection::State::working && (first == nullptr || before(*connection, *first)))
      first = connection.get();
  if (first == nullptr) return false;
  close(first->socket);
  return true;
}

void Reception::close(int socket) {
  epoll_ctl(poll_, EPOLL_CTL_DEL, socket, nullptr);
  all_.erase(socket);
  ::close(socket);
}

void Reception::arm(Connection& connection, unsigned events) {
  epoll_event event{events | EPOLLONESHOT, {.fd = connection.socket}};
  epoll_ctl(poll_, EPOLL_CTL_MOD, connection.socket, &event);
}

void Reception::listen() {
  std::array<epoll_event, 64> events{};
  auto swept = Clock::now();
  for (;;) {
    const int count = epoll_wait(poll_, events.data(), static_cast<int>(events.size()), kSweep.count());
    const std::lock_guard lock(mutex_);
    if (over_) return;
    for (int at = 0; at < count; ++at) {
      const auto& event = events[static_cast<std::size_t>(at)];
      // It may have been closed to make room since the event was told of.
      if (const auto known = all_.find(event.data.fd); known != all_.end()) happened(*known->second, event.events);
    }
    if (Clock::now() - swept < kSweep) continue;
    swept = Clock::now();
    close_overdue();
  }
}

void Reception::close_overdue() {
  std::vector<int> overdue;
  const auto now = Clock::now();
  for (const auto& [socket, connection] : all_)
    if (connection->state != Connection::State::working && connection->deadline < now) overdue.push_back(socket);
  for (const int socket : overdue) close(socket);
}

void Reception::happened(Connection& connection, unsigned events) {
  switch (connection.state) {
    case Connection::State::working:
      return;
    case Connection::State::sending:
      return (events & (EPOLLERR | EPOLLHUP)) != 0 ? close(connection.socket) : send(connection);
    case Connection::State::reading:
    case Connection::State::leaving:
      return read(connection);
  }
}

void Reception::read(Connection& connection) {
  std::array<char, 8192> text;
  const bool first = connection.in.empty();
  for (std::size_t round = 0; round < 8; ++round) {
    const ssize_t size = recv(connection.socket, text.data(), text.size(), MSG_DONTWAIT);
    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
      return close(connection.socket);
    if (size < 0) break;
    if (connection.state == Connection::State::reading)
      connection.in.append(text.data(), static_cast<std::size_t>(size));
    if (connection.in.size() > limits_.request_bytes) break;
  }
  if (connection.state == Connection::State::leaving) return arm(connection, EPOLLIN);
  connection.whole = whole_request(connection.in) > 0;
  const Lengths lengths = lengths_of(connection.in);
  const bool endless = lengths.head > 0 ? lengths.body > limits_.request_bytes : connection.in.size() > kLongestHead;
  if (!connection.whole && !endless) {
    if (first && !connection.in.empty()) connection.deadline = Clock::now() + limits_.request;
    return arm(connection, EPOLLIN);
  }
  connection.state = Connection::State::working;
  waiting_.push_back(&connection);
  wanted_.notify_one();
}

void Reception::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wanted_.wait(lock, [&] { return over_ || !waiting_.empty(); });
    if (over_) return;
    Connection& connection = *waiting_.front();
    waiting_.pop_front();
    lock.unlock();
    const bool may_ask_again = work_(connection);
    lock.lock();
    answered(connection, may_ask_again);
  }
}

void Reception::answered(Connection& connection, bool may_ask_again) {
  connection.closing = !may_ask_again || !connection.whole;
  if (connection.left() == 0) return connection.closing ? leave(connection) : wait_for_request(connection);
  connection.state = Connection::State::sending;
  connection.deadline =
      Clock::now() + limits_.answer + std::chrono::milliseconds(1000 * connection.left() / limits_.slowest_bytes_per_s);
  arm(connection, EPOLLOUT);
}

void Reception::send(Connection& connection) {
  const std::size_t before = connection.left();
  const bool all = send_left(connection, std::chrono::milliseconds(0));
  if (!all && connection.left() == before) return close(connection.socket);  // it was said to take some: it is gone
  if (!all) return arm(connection, EPOLLOUT);
  return connection.closing ? leave(connection) : wait_for_request(connection);
}

/// Another may have come with the one before.
void Reception::wait_for_request(Connection& connection) {
  connection.state = Connection::State::reading;
  connection.deadline = Clock::now() + (connection.in.empty() ? limits_.idle : limits_.request);
  if (whole_request(connection.in) == 0) return arm(connection, EPOLLIN);
  connection.whole = true;
  connection.state = Connection::State::working;
  waiting_.push_back(&connection);
  wanted_.notify_one();
}

/// What is closed while something of the client's is unread takes the answer with it: it is waited for, shortly.
void Reception::leave(Connection& connection) {
  shutdown(connection.socket, SHUT_WR);
  connection.state = Connection::State::leaving;
  connection.in.clear();
  connection.deadline = Clock::now() + kLeaving;
  arm(connection, EPOLLIN);
}

}  // namespace harness::http
