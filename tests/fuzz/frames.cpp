#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>

#include "harness/worker/processes/channel.h"
#include "tests/fuzz/entries.h"

namespace harness::fuzz {

void frames(const std::uint8_t* data, std::size_t bytes) {
  constexpr std::size_t kFitsASocket = 64 * 1024;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return;
  Channel receiver(ends[0]);
  receiver.limit_received(1 << 20);
  const bool written = send(ends[1], data, std::min(bytes, kFitsASocket), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
  close(ends[1]);
  if (!written) return;
  Message message;
  while (receiver.receive(message, 1) == Channel::Status::ok) {
    json_text(message.body);  // what the supervisor may do with it: copy, print, look for a member
    const json copy = message.body;
    if (copy.is_object()) copy.value("failure", json());
    for (const int descriptor : message.descriptors) close(descriptor);
  }
}

}  // namespace harness::fuzz
