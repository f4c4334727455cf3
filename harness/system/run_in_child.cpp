#include "harness/system/run_in_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>

#include "harness/core/bounded_log.h"
#include "harness/core/error.h"

namespace harness {
namespace {

using Clock = std::chrono::steady_clock;

// The first byte of what a child sends.
constexpr char kAnswer = 'a', kBroken = 'e';
// A cubin with its log; a child that sends more is out of order.
constexpr std::size_t kMaxAnswerBytes = 256 << 20;

struct Pipe {
  int read_end = -1, write_end = -1;
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
      throw environment_error(std::string("no pipe could be made: ") + std::strerror(errno));
    read_end = ends[0];
    write_end = ends[1];
  }
  ~Pipe() {
    close(read_end);
    close_write_end();
  }
  void close_write_end() {
    if (write_end >= 0) close(write_end);
    write_end = -1;
  }
};

void limit(__rlimit_resource resource, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(resource, &both);
}

rlim_t mapped_bytes_now() {
  std::ifstream statistics("/proc/self/statm");
  rlim_t pages = 0;
  statistics >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void send_all(const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(STDIN_FILENO, text.data() + sent, text.size() - sent);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
}

[[noreturn]] void be_child(const std::function<std::string()>& work, int answer, int output, rlim_t memory_bytes,
                           double deadline_s, const EnterConfinement& enter) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CPU, static_cast<rlim_t>(deadline_s) + 1);
#ifndef __SANITIZE_ADDRESS__  // whose shadow is terabytes of address space
  limit(RLIMIT_AS, memory_bytes);
#endif
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_CORE, 0);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if ((enter && !enter()) || chdir("/") != 0) _exit(kNotConfined);
  dup2(answer, STDIN_FILENO);  // the one place for it that is never another's
  close_range(STDERR_FILENO + 1, ~0U, 0);
  try {
    send_all(kAnswer + work());
  } catch (const std::exception& broken) {
    send_all(kBroken + std::string(broken.what()));
  }
  _exit(0);
}

/// Reads the answer and the output until both pipes close; false when the time is up first.
bool gather(const Pipe& answer, const Pipe& output, Clock::time_point deadline, std::string& text, BoundedLog& said) {
  std::array<char, 65536> buffer;
  std::array<pollfd, 2> ends{pollfd{answer.read_end, POLLIN, 0}, pollfd{output.read_end, POLLIN, 0}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0 || text.size() > kMaxAnswerBytes) return false;
    if (poll(ends.data(), ends.size(), static_cast<int>(left)) <= 0) continue;
    for (pollfd& end : ends) {
      if (end.fd < 0 || end.revents == 0) continue;
      const ssize_t count = read(end.fd, buffer.data(), buffer.size());
      if (count < 0 && errno == EINTR) continue;
      const std::string_view part(buffer.data(), count > 0 ? static_cast<std::size_t>(count) : 0);
      if (part.empty()) end.fd = -1;
      else if (&end == &ends[0]) text += part;
      else said.append(part);
    }
  }
  return true;
}

}  // namespace

ChildAnswer run_in_child(const std::function<std::string()>& work, const CompileLimits& limits,
                         const EnterConfinement& enter) {
  Pipe answer, output;
  const rlim_t memory_bytes = mapped_bytes_now() + static_cast<rlim_t>(limits.memory_bytes);
  const pid_t child = fork();
  if (child == 0) be_child(work, answer.write_end, output.write_end, memory_bytes, limits.deadline_s, enter);
  if (child < 0) throw environment_error(std::string("no process could be started: ") + std::strerror(errno));
  setpgid(child, child);
  answer.close_write_end();
  output.close_write_end();
  BoundedLog said;
  std::string text;
  const auto time = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.deadline_s));
  ChildAnswer result;
  result.timed_out = !gather(answer, output, Clock::now() + time, text, said);
  if (result.timed_out) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  kill(-child, SIGKILL);
  const int ended = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (ended == kNotConfined)
    throw environment_error("the compiler could not be confined to its folders, so it was not started: " + said.text());
  if (ended == 0 && text.starts_with(kBroken)) throw environment_error(text.substr(1));
  result.answered = !result.timed_out && ended == 0 && text.starts_with(kAnswer);
  result.signal = ended > 128 ? ended - 128 : 0;
  result.text = result.answered ? text.substr(1) : said.text();
  return result;
}

}  // namespace harness
