#include "harness/system/python_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <sstream>

#include "harness/core/error.h"
#include "harness/system/files.h"
#include "harness/system/python.h"

namespace harness {
namespace {

constexpr std::size_t kLongestAnswer = 4 << 20;

/// Both ends of a named pipe, so that opening it waits for nobody.
Descriptor named_pipe(const std::string& path) {
  if (mkfifo(path.c_str(), 0600) != 0)
    throw environment_error(fmt::format("no pipe could be made at {}: {}", path, std::strerror(errno)));
  return Descriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
}

std::string ticket_of_process() {
  return fmt::format("{}.{}.", getpid(), std::chrono::steady_clock::now().time_since_epoch().count());
}

}  // namespace

PythonProcess::PythonProcess(const PythonStart& start) : own_folder_("python"), ticket_(ticket_of_process()) {
  folder_ = own_folder_->path();
  for (const auto& [name, text] : start.files) write_file(path(name), text);
  ask_ = named_pipe(path("ask"));
  answer_ = named_pipe(path("answer"));
  const Confinement walls(start.walls, python_reach(start.python, start.readable, folder_));
  std::vector<std::string> words{start.python, path(start.files.front().first), folder_};
  words.insert(words.end(), start.words.begin(), start.words.end());
  std::vector<std::string> environment = python_environment(folder_);
  for (const std::string& variable : start.environment) {
    std::erase_if(environment, [&](const std::string& known) {
      return known.starts_with(variable.substr(0, variable.find('=') + 1));
    });
    environment.push_back(variable);
  }
  const std::vector<char*> argv = exec_list(words), variables = exec_list(environment);
  const Descriptor log(open(path("log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  child_.emplace(ChildSetup{log.get(), start.limits, &walls}, [&] {
    if (chdir("/") == 0) execve(argv[0], argv.data(), variables.data());
    return 127;
  });
}

PythonProcess::PythonProcess(const PythonAddress& there)
    : folder_(there.folder),
      ask_(open(path("ask").c_str(), O_RDWR | O_CLOEXEC)),
      answer_(open(path("answer").c_str(), O_RDWR | O_CLOEXEC)),
      other_(there),
      other_process_(static_cast<int>(syscall(SYS_pidfd_open, there.id, 0))),
      ticket_(ticket_of_process()) {
  if (ask_.get() < 0 || answer_.get() < 0 || other_process_.get() < 0)
    throw environment_error(fmt::format("no Python process is to be found in {}", folder_));
  if (write(ask_.get(), "\n", 1) != 1) throw environment_error("a Python process takes no request");
}

PythonAddress PythonProcess::address() const {
  return child_ ? PythonAddress{folder_, child_->id()} : other_;
}

bool PythonProcess::runs() const {
  if (child_) return !child_->ends_within(0);
  pollfd ended{other_process_.get(), POLLIN, 0};
  return poll(&ended, 1, 0) == 0;
}

void PythonProcess::kill() const {
  if (child_) child_->kill();
  else syscall(SYS_pidfd_send_signal, other_process_.get(), SIGKILL, nullptr, 0);
}

void PythonProcess::send(const json& request) {
  last_ticket_ = ticket_ + std::to_string(++asked_);
  json with_ticket = request;
  with_ticket["ticket"] = last_ticket_;
  const std::string line = json_text(with_ticket) + "\n";
  for (std::size_t at = 0; at < line.size();) {
    // A pipe whose reader works is full after 64 KiB: as long as it lives it will read on.
    pollfd ready{ask_.get(), POLLOUT, 0};
    if (poll(&ready, 1, 50) <= 0) {
      if (!runs()) return;  // receive() will say so
      continue;
    }
    const ssize_t count = write(ask_.get(), line.data() + at, std::min<std::size_t>(line.size() - at, 4096));
    if (count < 0 && errno != EINTR) throw environment_error("a Python process takes no request");
    at += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
}

/// The next whole line, where it is this one's: an object with the last ticket, or what it says before it is asked.
std::optional<json> PythonProcess::next_answer() {
  const std::size_t end = answer_text_.find('\n');
  json answer = json::parse(answer_text_.substr(0, end), nullptr, false);
  answer_text_.erase(0, end + 1);
  if (!answer.is_object()) return std::nullopt;
  if (const auto ticket = answer.find("ticket"); ticket != answer.end() && *ticket != last_ticket_) return std::nullopt;
  if (!child_ && !answer.contains("ticket")) return std::nullopt;  // said to whoever started it
  answer.erase("ticket");
  return answer;
}

std::optional<json> PythonProcess::receive(double seconds, bool& late) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    while (answer_text_.find('\n') != std::string::npos)
      if (std::optional<json> answer = next_answer()) return answer;
    pollfd ready{answer_.get(), POLLIN, 0};
    if (poll(&ready, 1, 50) > 0) {
      char part[4096];
      const ssize_t count = read(answer_.get(), part, sizeof part);
      if (count > 0) answer_text_.append(part, static_cast<std::size_t>(count));
      if (answer_text_.size() > kLongestAnswer) return std::nullopt;
      continue;
    }
    if (!runs()) return std::nullopt;
    late = std::chrono::steady_clock::now() > limit;
    if (late) return std::nullopt;
  }
}

std::string PythonProcess::last_words() {
  kill();
  std::istringstream lines(read_file_if_any(path("log")).value_or(""));
  std::string words;
  bool error = false;
  for (std::string line; std::getline(lines, line);) {
    const bool names_error = line.find("Error: ") != std::string::npos || line.find("what(): ") != std::string::npos;
    if (names_error || (!error && !line.empty())) words = line.substr(0, 300);
    error = error || names_error;
  }
  return words;
}

}  // namespace harness
