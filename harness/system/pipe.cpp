#include "harness/system/pipe.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "harness/core/error.h"

namespace harness {

Pipe::Pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw environment_error(std::string("no pipe could be made: ") + std::strerror(errno));
  read_end = Descriptor(ends[0]);
  write_end = Descriptor(ends[1]);
}

bool read_until_closed(const std::vector<Stream>& streams, std::chrono::steady_clock::time_point deadline) {
  std::vector<char> buffer(65536);
  std::vector<pollfd> ends;
  for (const Stream& stream : streams) ends.push_back({stream.descriptor, POLLIN, 0});
  while (std::any_of(ends.begin(), ends.end(), [](const pollfd& end) { return end.fd >= 0; })) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    if (poll(ends.data(), ends.size(), static_cast<int>(left)) <= 0) continue;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      const ssize_t count = read(ends[i].fd, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) ends[i].fd = -1;
      else if (!streams[i].take({buffer.data(), static_cast<std::size_t>(count)})) return false;
    }
  }
  return true;
}

}  // namespace harness
