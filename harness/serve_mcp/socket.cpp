#include "harness/serve_mcp/socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "harness/core/error.h"
#include "harness/core/printable.h"

namespace harness::mcp {
namespace {

constexpr int kMostWaiting = 16;

volatile sig_atomic_t stopped = 0;

void stop(int) {
  stopped = 1;
}

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path))
    throw bad_input(
        fmt::format("the socket's path has {} bytes; {} are possible", path.size(), sizeof(address.sun_path) - 1));
  std::copy(path.begin(), path.end(), address.sun_path);
  return address;
}

bool connects(int socket, const sockaddr_un& address) {
  return connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

int new_socket() {
  const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made < 0) throw environment_error(fmt::format("no socket can be made: {}", std::strerror(errno)));
  return made;
}

/// A socket file that nobody listens at is left of a server that was killed.
void remove_stale(const std::string& path, const sockaddr_un& address) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return;
  if (!S_ISSOCK(status.st_mode)) throw bad_input(fmt::format("{} is there already and no socket; name another", path));
  const int trial = new_socket();
  const bool alive = connects(trial, address);
  close(trial);
  if (alive) throw bad_input(fmt::format("another server listens at {}; stop it, or name another socket", path));
  unlink(path.c_str());
}

int bound_socket(const std::string& path, bool for_others) {
  const sockaddr_un address = address_of(path);
  remove_stale(path, address);
  const int made = new_socket();
  const mode_t before = umask(for_others ? 0111 : 0177);
  const bool bound = bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  umask(before);
  if (!bound || listen(made, kMostWaiting) != 0) {
    const std::string why = std::strerror(errno);
    close(made);
    throw environment_error(fmt::format("nobody can listen at {}: {}", path, why));
  }
  return made;
}

bool may_connect(int client, const std::vector<unsigned>& users) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  if (getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  if (std::find(users.begin(), users.end(), peer.uid) != users.end()) return true;
  fmt::print(stderr, "harness: a process of user {} tried to connect and was turned away (--allow)\n", peer.uid);
  return false;
}

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = stop;  // without SA_RESTART: accept returns
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  signal(SIGCHLD, SIG_IGN);  // clients' processes are not waited for
}

/// False at an end. `some`: whether there was anything.
bool carry(int from, int to, bool& some) {
  std::array<char, 1 << 16> bytes{};
  const ssize_t count = read(from, bytes.data(), bytes.size());
  if (count < 0 && errno == EINTR) return true;
  some = some || count > 0;
  for (ssize_t done = 0; done < count;) {
    const ssize_t written = write(to, bytes.data() + done, static_cast<std::size_t>(count - done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += written;
  }
  return count > 0;
}

}  // namespace

void listen_at(const std::string& path, const std::vector<unsigned>& users,
               const std::function<void(int input, int output)>& serve) {
  const bool for_others = users != std::vector<unsigned>{getuid()};
  const int listener = bound_socket(path, for_others);
  catch_signals();
  fmt::print(stderr, "harness: listening at {}\n", printable(path, Lines::one));
  while (stopped == 0) {
    const int client = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    if (may_connect(client, users) && fork() == 0) {
      close(listener);
      for (const int number : {SIGINT, SIGTERM, SIGCHLD}) signal(number, SIG_DFL);
      serve(client, client);
      _exit(0);
    }
    close(client);
  }
  close(listener);
  unlink(path.c_str());
}

void connect_to(const std::string& path) {
  const int server = new_socket();
  if (!connects(server, address_of(path)))
    throw environment_error(fmt::format("nobody listens at {}: {}; start harness mcp --listen {} as the judge's user",
                                        path, std::strerror(errno), path));
  bool asking = true, asked = false, answered = false;
  for (;;) {
    std::array<pollfd, 2> waiting{{{asking ? STDIN_FILENO : -1, POLLIN, 0}, {server, POLLIN, 0}}};
    if (poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) break;
    if (waiting[0].revents != 0 && !carry(STDIN_FILENO, server, asked)) {
      shutdown(server, SHUT_WR);
      asking = false;
    }
    if (waiting[1].revents != 0 && !carry(server, STDOUT_FILENO, answered)) break;
  }
  close(server);
  if (asked && !answered)
    throw environment_error(fmt::format(
        "the server at {} ended the connection without an answer; may user {} connect (its --allow)?", path, getuid()));
}

}  // namespace harness::mcp
