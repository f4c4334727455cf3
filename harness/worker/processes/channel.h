#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/json.h"

namespace harness {

/// One message between a supervisor and its worker: a JSON value and file descriptors. Received descriptors belong to
/// the receiver, who must close them (or give them to a SharedMemory).
struct Message {
  json body;
  std::vector<int> descriptors;
};

/// A connected stream socket that carries length-prefixed JSON. The peer may be hostile: sizes are bounded and anything
/// malformed reads as a closed channel.
class Channel {
 public:
  enum class Status { ok, closed, timed_out, interrupted };

  explicit Channel(int socket) : socket_(socket) {}
  Channel(Channel&& other) noexcept : socket_(other.socket_), max_received_(other.max_received_) { other.socket_ = -1; }
  Channel& operator=(Channel&& other) noexcept {
    std::swap(socket_, other.socket_);
    std::swap(max_received_, other.max_received_);
    return *this;
  }
  ~Channel();

  bool send(const json& body, const std::vector<int>& descriptors = {});
  /// Waits at most `seconds` (negative: for ever). `stop`, if given, is asked every 20 ms.
  Status receive(Message& message, double seconds, const std::function<bool()>& stop = {});
  /// A message longer than this reads as a closed channel.
  void limit_received(std::uint32_t bytes) { max_received_ = bytes; }
  int socket() const { return socket_; }

 private:
  Status read_exactly(void* target, std::size_t bytes, double deadline, const std::function<bool()>& stop,
                      std::vector<int>* descriptors);
  int socket_;
  std::uint32_t max_received_ = 256u << 20;
};

}  // namespace harness
