#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

namespace harness::http {

/// A client's connection. While it is worked on it belongs to that thread alone.
struct Connection {
  enum class State { reading, working, sending, leaving };
  int socket = -1;
  State state = State::reading;
  std::string in;        // what has come and is not answered yet
  std::string out;       // the client takes it slower than it was made
  std::size_t sent = 0;  // of `out`
  bool whole = true;     // `in` begins with a whole request; false: it is longer than any that is answered
  bool closing = false;  // nothing more is read once `out` has been taken
  std::chrono::steady_clock::time_point deadline;
  std::size_t left() const { return out.size() - sent; }
};

struct ReceptionLimits {
  std::size_t connections = 512;
  std::size_t request_bytes = 20'000;        // of a request with its body
  std::chrono::milliseconds idle{15'000};    // until the first byte of a request
  std::chrono::milliseconds request{5'000};  // from its first byte to its last
  std::chrono::milliseconds answer{10'000};  // until it has been taken, and longer for a long one:
  std::size_t slowest_bytes_per_s = 64 << 10;
};

/// Keeps connections while there is nothing to work on, so that a slow client holds no thread: requests come in whole
/// before a thread works on them, and what a client does not take at once is sent when it does. One thread of its own.
class Reception {
 public:
  using Work = std::function<bool(Connection&)>;  // answers the first request of `in`; whether the client may ask again
  Reception(ReceptionLimits limits, int threads, Work work);
  /// Closes all connections, once the threads have ended what they do.
  ~Reception();
  Reception(const Reception&) = delete;
  Reception& operator=(const Reception&) = delete;

  /// Owns the socket from here. Where there are too many, whoever has been waited for longest is left.
  void take(int socket);

 private:
  using Clock = std::chrono::steady_clock;
  void listen();
  void work();
  void happened(Connection& connection, unsigned events);
  void read(Connection& connection);
  void send(Connection& connection);
  void answered(Connection& connection, bool may_ask_again);
  void wait_for_request(Connection& connection);
  void leave(Connection& connection);
  void arm(Connection& connection, unsigned events);
  void close(int socket);
  void close_overdue();
  bool make_room();

  const ReceptionLimits limits_;
  const Work work_;
  const int poll_, wake_;
  std::mutex mutex_;  // of all below, and of every connection that is not worked on
  std::unordered_map<int, std::unique_ptr<Connection>> all_;
  std::deque<Connection*> waiting_;
  std::condition_variable wanted_;
  bool over_ = false;
  std::vector<std::thread> threads_;
};

/// The length of the request that `text` begins with, its body included; 0: it is not whole yet.
std::size_t whole_request(const std::string& text);

/// Whether more of it follows, of a length that its head does not say.
bool of_unknown_length(const std::string& text);

/// Sends what the socket takes now; the rest is left in `out`. False: the client is gone.
bool send_now(Connection& connection, const char* text, std::size_t size);

/// Sends what is left of `out`, waiting for at most `patience`. False: the client is gone, or takes too long.
bool send_left(Connection& connection, std::chrono::milliseconds patience);

}  // namespace harness::http
