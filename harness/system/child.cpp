#include "harness/system/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "harness/core/error.h"

namespace harness {
namespace {

// Between fork and exec only async-signal-safe calls are allowed.
[[noreturn]] void be_child(pid_t parent, const ChildSetup& setup, const std::function<int()>& body) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(125);  // the parent died before the line above
  setup.limits.enter();
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGINT, SIG_IGN);  // Ctrl-C is the supervisor's business
  signal(SIGPIPE, SIG_DFL);
  dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
  if (setup.output >= 0) {
    dup2(setup.output, STDOUT_FILENO);
    dup2(setup.output, STDERR_FILENO);
  }
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  if (setup.confinement != nullptr && !setup.confinement->enter()) _exit(kNotConfined);
  _exit(body());
}

}  // namespace

Child::Child(const ChildSetup& setup, const std::function<int()>& body) {
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0) be_child(parent, setup, body);
  if (pid_ < 0) throw environment_error(fmt::format("no process could be started: {}", std::strerror(errno)));
  setpgid(pid_, pid_);  // here too, so that the group exists before anybody kills it
}

Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), end_(other.end_) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(end_, other.end_);
  return *this;
}

Child::~Child() {
  if (pid_ <= 0 || end_) return;
  kill();
  wait();
}

void Child::kill() const {
  if (pid_ > 0 && !end_) ::kill(-pid_, SIGKILL);
}

bool Child::ends_within(double seconds, const std::function<bool()>& stop) const {
  using Clock = std::chrono::steady_clock;
  if (end_) return true;
  const auto limit = Clock::now() + std::chrono::duration<double>(seconds);
  for (int step = 0;; ++step) {
    siginfo_t ended{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == pid_)
      return true;
    if (Clock::now() >= limit || (stop && stop())) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(step < 50 ? 100 : 2000));
  }
}

ChildEnd Child::wait(double patience_s) {
  if (end_) return *end_;
  constexpr double kDyingS = 10;
  ChildEnd end;
  if (!ends_within(patience_s)) {
    end.lingered = true;
    kill();
    ends_within(kDyingS);
  }
  kill();  // what it started, while its number cannot be anybody else's
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_) {
    end.signaled = WIFSIGNALED(status);
    end.code = end.signaled ? WTERMSIG(status) : WEXITSTATUS(status);
  }
  end_ = end;
  return end;
}

std::vector<char*> exec_list(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace harness
