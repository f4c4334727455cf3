#include "harness/worker/processes/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "harness/system/awake_clock.h"

namespace harness {
namespace {

constexpr std::uint32_t kMaxMessageBytes = 256u << 20;
constexpr std::size_t kMaxDescriptors = 128;

bool send_all(int socket, const char* data, std::size_t bytes, const std::vector<int>& descriptors) {
  std::vector<char> control(CMSG_SPACE(sizeof(int) * std::max<std::size_t>(1, descriptors.size())));
  bool first = true;
  while (bytes > 0) {
    iovec vector{const_cast<char*>(data), bytes};
    msghdr header{};
    header.msg_iov = &vector;
    header.msg_iovlen = 1;
    if (first && !descriptors.empty()) {
      header.msg_control = control.data();
      header.msg_controllen = control.size();
      cmsghdr* rights = CMSG_FIRSTHDR(&header);
      rights->cmsg_level = SOL_SOCKET;
      rights->cmsg_type = SCM_RIGHTS;
      rights->cmsg_len = CMSG_LEN(sizeof(int) * descriptors.size());
      std::memcpy(CMSG_DATA(rights), descriptors.data(), sizeof(int) * descriptors.size());
    }
    const ssize_t sent = sendmsg(socket, &header, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    first = false;
    data += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

void take_descriptors(msghdr& header, std::vector<int>* descriptors) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    std::vector<int> received(count);
    std::memcpy(received.data(), CMSG_DATA(part), count * sizeof(int));
    for (int descriptor : received) {
      if (descriptors != nullptr) descriptors->push_back(descriptor);
      else close(descriptor);
    }
  }
}

}  // namespace

Channel::~Channel() {
  if (socket_ >= 0) close(socket_);
}

bool Channel::send(const json& body, const std::vector<int>& descriptors) {
  std::string text = json_text(body);
  if (text.size() > kMaxMessageBytes) return false;
  const auto size = static_cast<std::uint32_t>(text.size());
  text.insert(0, reinterpret_cast<const char*>(&size), sizeof size);
  return send_all(socket_, text.data(), text.size(), descriptors);
}

Channel::Status Channel::read_exactly(void* target, std::size_t bytes, double deadline,
                                      const std::function<bool()>& stop, std::vector<int>* descriptors) {
  auto* position = static_cast<char*>(target);
  while (bytes > 0) {
    // What has come is taken before any clock is asked: this process may have been stopped for longer than it waits.
    pollfd ready{socket_, POLLIN, 0};
    if (poll(&ready, 1, 0) == 0) {
      if (stop && stop()) return Status::interrupted;
      int wait_ms = stop ? 20 : -1;
      if (deadline >= 0) {
        const double left = deadline - awake_seconds();
        if (left <= 0) return Status::timed_out;
        const int left_ms = static_cast<int>(std::min(left * 1000 + 1, 1e9));
        wait_ms = wait_ms < 0 ? left_ms : std::min(wait_ms, left_ms);
      }
      if (poll(&ready, 1, wait_ms) <= 0) continue;
    }
    iovec vector{position, bytes};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMaxDescriptors)];
    msghdr header{};
    header.msg_iov = &vector;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    const ssize_t got = recvmsg(socket_, &header, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return Status::closed;
    take_descriptors(header, descriptors);
    position += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return Status::ok;
}

Channel::Status Channel::receive(Message& message, double seconds, const std::function<bool()>& stop) {
  message = {};
  const double deadline = seconds < 0 ? -1 : awake_seconds() + seconds;
  std::uint32_t size = 0;
  Status status = read_exactly(&size, sizeof size, deadline, stop, &message.descriptors);
  if (status != Status::ok) return status;
  if (size > max_received_) return Status::closed;
  std::string text(size, '\0');
  status = read_exactly(text.data(), size, deadline, stop, &message.descriptors);
  if (status != Status::ok) return status;
  message.body = parse_json_if_valid(text);
  return message.body.is_discarded() ? Status::closed : Status::ok;
}

}  // namespace harness
