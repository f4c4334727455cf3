#include "harness/system/run_program.h"

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
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "harness/core/bounded_log.h"
#include "harness/core/error.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
// What a build writes is an object file or two, a few hundred kilobytes.
constexpr rlim_t kMaxFileBytes = 256 << 20;

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// Between fork and exec only async-signal-safe calls are allowed: other threads of this process may hold any lock.
[[noreturn]] void become(char* const* arguments, char* const* environment, int output, const CompileLimits& limits,
                         const EnterConfinement& enter) {
  // Its own group, for the deadline; it dies with the builder, and a processor-time limit ends what would outlive both.
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const auto limit = [](auto resource, rlim_t value) {
    const rlimit both{value, value};
    setrlimit(resource, &both);
  };
  limit(RLIMIT_CPU, static_cast<rlim_t>(limits.deadline_s) + 1);
  limit(RLIMIT_AS, static_cast<rlim_t>(limits.memory_bytes));
  limit(RLIMIT_FSIZE, kMaxFileBytes);
  limit(RLIMIT_CORE, 0);
  const int empty = open("/dev/null", O_RDONLY);
  dup2(empty, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);  // a builder's socket, say
  if (enter && !enter()) _exit(kNotConfined);
  if (chdir("/") != 0) _exit(127);
  execve(arguments[0], arguments, environment);
  _exit(127);
}

/// Reads until the pipe closes; false when the time is up first.
bool read_until_closed(int pipe, Clock::time_point deadline, BoundedLog& output) {
  std::array<char, 16384> buffer;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{pipe, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(left)) <= 0) continue;
    const ssize_t count = read(pipe, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    output.append({buffer.data(), static_cast<std::size_t>(count)});
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& scratch,
                          const CompileLimits& limits, const EnterConfinement& enter) {
  std::vector<std::string> argument_texts = arguments;
  const char* path = std::getenv("PATH");
  std::vector<std::string> environment_texts = {std::string("PATH=") + (path ? path : "/usr/bin:/bin"), "LC_ALL=C",
                                                "TMPDIR=" + scratch};
  const std::vector<char*> argv = pointers(argument_texts), environment = pointers(environment_texts);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw environment_error("no pipe could be made: " + std::string(strerror(errno)));
  const pid_t child = fork();
  if (child == 0) become(argv.data(), environment.data(), ends[1], limits, enter);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    throw environment_error("no process could be started: " + std::string(strerror(errno)));
  }
  setpgid(child, child);
  ProcessResult result;
  BoundedLog output;
  const auto limit = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.deadline_s));
  result.timed_out = !read_until_closed(ends[0], Clock::now() + limit, output);
  result.output = output.text();
  if (result.timed_out) kill(-child, SIGKILL);
  result.exit_status = wait_for(child);
  kill(-child, SIGKILL);
  close(ends[0]);
  if (result.exit_status == kNotConfined)
    throw environment_error("the compiler could not be confined to its folders, so it was not started: " +
                            result.output);
  return result;
}

std::string find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string left = path ? path : "/usr/bin:/bin";
  while (!left.empty()) {
    const std::size_t end = left.find(':');
    const std::string candidate = left.substr(0, end) + "/" + name;
    std::error_code dangling;
    const bool is_wrapper = fs::canonical(candidate, dangling).filename() == "ccache";  // it wants a home of its own
    if (access(candidate.c_str(), X_OK) == 0 && !is_wrapper) return candidate;
    left = end == std::string::npos ? "" : left.substr(end + 1);
  }
  return "";
}

}  // namespace harness
