#include "harness/worker/processes/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "harness/core/error.h"

namespace harness {
namespace {

constexpr int kSocket = 3;  // where a worker finds it

std::string& own_program() {
  static std::string path = "/proc/self/exe";
  return path;
}

// What a worker may know of the environment: where tools and libraries are found, and nothing else.
std::vector<std::string> worker_environment() {
  std::vector<std::string> kept;
  for (const char* name :
       {"PATH", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "VIRTUAL_ENV", "CONDA_PREFIX",
        "HOME", "TMPDIR", "LANG", "HARNESS_PYTHON", "ASAN_OPTIONS", "UBSAN_OPTIONS", "HARNESS_CACHE", "HARNESS_HOME"}) {
    if (const char* value = getenv(name)) kept.push_back(fmt::format("{}={}", name, value));
  }
  kept.push_back("LD_BIND_NOW=1");  // once here, and not again in each process of a launch that is forked from it
  return kept;
}

/// A worker that is stopped reads nothing: writing to it ends as if it were closed.
void bound_sending(int socket) {
  const timeval longest{30, 0};
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &longest, sizeof longest);
}

}  // namespace

bool is_from_outside(const ProcessEnd& end) {
  return end.signaled && !end.lingered &&
         (end.code == SIGKILL || end.code == SIGTERM || end.code == SIGHUP || end.code == SIGINT ||
          end.code == SIGQUIT);
}

void Process::set_program(std::string path) {
  own_program() = std::move(path);
}

std::string Process::program() {
  std::error_code failure;
  const auto path = std::filesystem::read_symlink(own_program(), failure);
  return failure ? own_program() : path.string();
}

Process Process::start(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"harness", "worker"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return start_program(own_program(), std::move(words));
}

Process Process::start_program(const std::string& path, std::vector<std::string> words) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0)
    throw environment_error(fmt::format("cannot make a socket for a worker: {}", std::strerror(errno)));
  bound_sending(sockets[0]);
  Channel channel(sockets[0]);
  const Descriptor other_end(sockets[1]);
  Descriptor output(memfd_create("harness-output", MFD_CLOEXEC));
  if (output.get() < 0)
    throw environment_error(fmt::format("cannot make a file for a worker's output: {}", std::strerror(errno)));
  std::vector<std::string> kept = worker_environment();
  const std::vector<char*> argv = exec_list(words), envp = exec_list(kept);
  Child child({.output = output.get()}, [&] {
    if (other_end.get() == kSocket) fcntl(kSocket, F_SETFD, 0);
    else dup2(other_end.get(), kSocket);
    execve(path.c_str(), argv.data(), envp.data());
    return 126;
  });
  return {std::move(child), std::move(channel), std::move(output)};
}

Answer Process::receive(Message& message, Patience patience, const std::function<bool()>& stop) {
  Deadline deadline(id(), patience);
  Answer given_up = Answer::timed_out;
  const auto give_up = [&] {
    if (stop && stop()) return given_up = Answer::interrupted, true;
    const Deadline::State state = deadline.look();
    if (state == Deadline::State::stopped) given_up = Answer::held;
    return state != Deadline::State::running;
  };
  switch (channel_.receive(message, -1, give_up)) {
    case Channel::Status::ok:
      return Answer::ok;
    case Channel::Status::closed:
      return Answer::closed;
    default:
      return given_up;
  }
}

void Process::kill() {
  child_.kill();
  wait();
}

ProcessEnd Process::wait() {
  if (end_) return *end_;
  const ChildEnd ended = child_.wait();
  end_ = {ended.signaled, ended.code, ended.lingered, captured()};
  return *end_;
}

std::string Process::captured() const {
  constexpr off_t kKept = 4096;
  struct stat status {};
  if (fstat(output_.get(), &status) != 0 || status.st_size == 0) return "";
  std::string text(static_cast<std::size_t>(std::min(status.st_size, kKept)), '\0');
  const ssize_t got = pread(output_.get(), text.data(), text.size(), status.st_size - static_cast<off_t>(text.size()));
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace harness
