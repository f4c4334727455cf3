#include "harness/worker/processes/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "harness/core/error.h"

namespace harness {
namespace {

std::string& own_program() {
  static std::string path = "/proc/self/exe";
  return path;
}

// What a worker may know of the environment: where tools and libraries are found, and nothing else.
std::vector<std::string> worker_environment() {
  std::vector<std::string> kept;
  for (const char* name : {"PATH", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "HOME",
                           "TMPDIR", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS", "HARNESS_CACHE", "HARNESS_HOME"}) {
    if (const char* value = getenv(name)) kept.push_back(fmt::format("{}={}", name, value));
  }
  return kept;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

[[noreturn]] void become_worker(const char* path, int socket, int output, pid_t parent, char* const* arguments,
                                char* const* environment) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(125);  // the parent died before the line above
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGINT, SIG_IGN);  // Ctrl-C is the supervisor's business
  signal(SIGPIPE, SIG_DFL);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  dup2(output, 1);
  dup2(output, 2);
  if (socket == 3) fcntl(3, F_SETFD, 0);
  else dup2(socket, 3);
  close_range(4, ~0U, 0);
  execve(path, arguments, environment);
  _exit(126);
}

}  // namespace

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
  const int output = memfd_create("harness-output", MFD_CLOEXEC);
  std::vector<std::string> kept = worker_environment();
  const std::vector<char*> argv = pointers(words), envp = pointers(kept);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) become_worker(path.c_str(), sockets[1], output, parent, argv.data(), envp.data());
  close(sockets[1]);
  if (pid < 0) {
    close(sockets[0]);
    close(output);
    throw environment_error(fmt::format("cannot start a worker: {}", std::strerror(errno)));
  }
  return {pid, Channel(sockets[0]), output};
}

Process::Process(Process&& other) noexcept
    : pid_(other.pid_), channel_(std::move(other.channel_)), output_(other.output_), end_(std::move(other.end_)) {
  other.pid_ = -1;
  other.output_ = -1;
}

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(channel_, other.channel_);
  std::swap(output_, other.output_);
  std::swap(end_, other.end_);
  return *this;
}

Process::~Process() {
  if (pid_ > 0 && !end_) kill();
  if (output_ >= 0) close(output_);
}

void Process::kill() {
  if (end_ || pid_ <= 0) return;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL);  // in case it has not made its group yet
  wait();
}

bool Process::ends_within(double seconds, const std::function<bool()>& stop) const {
  using Clock = std::chrono::steady_clock;
  const auto limit = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < limit && !(stop && stop())) {
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == pid_)
      return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

ProcessEnd Process::wait() {
  if (end_) return *end_;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  int status = 0;
  pid_t reaped = 0;
  for (int step = 0; (reaped = waitpid(pid_, &status, WNOHANG)) == 0; ++step) {
    if (std::chrono::steady_clock::now() > limit) ::kill(-pid_, SIGKILL);
    if (std::chrono::steady_clock::now() > limit + std::chrono::seconds(10)) break;  // stuck in a driver: left behind
    std::this_thread::sleep_for(std::chrono::microseconds(step < 50 ? 100 : 2000));
  }
  ProcessEnd end;
  if (reaped > 0) {
    end.signaled = WIFSIGNALED(status);
    end.code = end.signaled ? WTERMSIG(status) : WEXITSTATUS(status);
  }
  ::kill(-pid_, SIGKILL);  // children of a compiler, say
  end.output = captured();
  end_ = end;
  return end;
}

std::string Process::captured() const {
  constexpr off_t kKept = 4096;
  struct stat status {};
  if (fstat(output_, &status) != 0 || status.st_size == 0) return "";
  std::string text(static_cast<std::size_t>(std::min(status.st_size, kKept)), '\0');
  const ssize_t got = pread(output_, text.data(), text.size(), status.st_size - static_cast<off_t>(text.size()));
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace harness
