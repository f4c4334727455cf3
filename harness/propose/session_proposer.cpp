#include "harness/propose/session_proposer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <thread>

#include "harness/core/error.h"
#include "harness/core/json.h"
#include "harness/core/utf8.h"
#include "harness/system/child.h"

namespace harness {
namespace {

constexpr std::size_t kLongestLine = 2 << 20, kLongestSessionLog = 64 << 10, kMostRead = 4 << 20;
constexpr rlim_t kLargestOutput = 256 << 20;
constexpr auto kLookEvery = std::chrono::milliseconds(20);

/// What a file holds behind a place, at most `most` bytes of it.
std::string text_behind(const std::string& path, std::size_t from, std::size_t most) {
  std::ifstream in(path, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(from));
  std::string text(most, '\0');
  in.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::string id_in(const std::string& line) {
  const json object = parse_json_if_valid(line);
  const json id = object.is_object() ? object.value("id", json()) : json();
  return id.is_string() ? id.get<std::string>() : "";
}

}  // namespace

struct SessionProposer::Process {
  TemporaryFolder folder{"session"};
  Descriptor to_it;
  std::unique_ptr<Child> child;
  std::string waiting;     // what it has not taken of its requests yet
  std::string unfinished;  // the beginning of a line
  std::size_t read = 0, logged = 0;
  bool flooded = false;

  std::string replies() const { return folder.path("replies"); }
  std::string log() const { return folder.path("log"); }
};

SessionProposer::SessionProposer(CommandSetup setup) : setup_(std::move(setup)) {}
SessionProposer::~SessionProposer() = default;

void SessionProposer::start() {
  auto process = std::make_unique<Process>();
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw environment_error("no socket can be made for the proposer");
  process->to_it = Descriptor(ends[0]);
  const Descriptor its(ends[1]);
  std::vector<std::string> arguments = setup_.arguments, variables = setup_.environment;
  const std::vector<char*> argv = exec_list(arguments), environment = exec_list(variables);
  const std::string replies = process->replies(), log = process->log();
  ChildSetup setup;
  setup.limits.file_bytes = kLargestOutput;
  process->child = std::make_unique<Child>(setup, [&] {
    const int out = open(replies.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600),
              err = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (out < 0 || err < 0) return 126;
    dup2(its.get(), STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execve(argv[0], argv.data(), environment.data());
    return 127;
  });
  process_ = std::move(process);
}

void SessionProposer::begin(const ProposalRecord& record, double deadline_s) {
  if (process_ && asked_.empty() && process_->child->ends_within(0)) cancel();  // it ended between two requests
  if (!process_) start();
  process_->waiting += record.request + "\n";
  const auto now = Clock::now();
  asked_.push_back({record.number, id_in(record.request), now,
                    now + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(deadline_s)),
                    deadline_s});
  send_waiting();
}

/// As much as it takes now: a program that reads nothing holds nobody up.
void SessionProposer::send_waiting() {
  std::string& waiting = process_->waiting;
  while (!waiting.empty()) {
    const ssize_t sent = send(process_->to_it.get(), waiting.data(), waiting.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent <= 0) return;  // full, or it has ended, which next_answer() sees
    waiting.erase(0, static_cast<std::size_t>(sent));
  }
}

void SessionProposer::read_lines() {
  const std::string fresh = text_behind(process_->replies(), process_->read, kMostRead);
  process_->read += fresh.size();
  process_->unfinished += fresh;
  std::string& text = process_->unfinished;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
    if (text.find_first_not_of(" \t\r\n") < end) lines_.push_back(text.substr(0, end));
    text.erase(0, end + 1);
  }
  process_->flooded = process_->flooded || text.size() > kLongestLine;
}

std::string SessionProposer::new_log() {
  const std::string log = text_behind(process_->log(), process_->logged, kLongestSessionLog);
  process_->logged += log.size();
  return valid_utf8(log);
}

ProposerAnswer SessionProposer::ended(std::size_t place, ProposerAnswer::End end, const std::string& text,
                                      const std::string& why) {
  const Asked asked = asked_[place];
  asked_.erase(asked_.begin() + static_cast<std::ptrdiff_t>(place));
  ProposerAnswer answer;
  answer.end = end;
  answer.number = asked.number;
  answer.latency_s = std::chrono::duration<double>(Clock::now() - asked.begun).count();
  answer.text = text;
  answer.log = process_ ? new_log() : "";
  answer.why = why;
  strike_out_secrets(answer, setup_.secrets);
  return answer;
}

std::optional<ProposerAnswer> SessionProposer::next_answer() {
  while (!lines_.empty()) {
    const std::string line = std::move(lines_.front());
    lines_.erase(lines_.begin());
    const std::string id = id_in(line);
    const auto of = std::ranges::find(asked_, id, &Asked::id);
    if (of != asked_.end())
      return ended(static_cast<std::size_t>(of - asked_.begin()), ProposerAnswer::End::answered, line, "");
    // Without an id it answers the oldest; one of a request that was given up answers nothing.
    if (id.empty() && !asked_.empty()) return ended(0, ProposerAnswer::End::answered, line, "");
  }
  for (std::size_t place = 0; place < asked_.size(); ++place)
    if (Clock::now() >= asked_[place].deadline)
      return ended(place, ProposerAnswer::End::timed_out, "",
                   fmt::format("no reply within {:.0f} s", asked_[place].deadline_s));
  return std::nullopt;
}

std::optional<ProposerAnswer> SessionProposer::take(double patience_s, const std::function<bool()>& stop) {
  const auto until = Clock::now() + std::chrono::duration<double>(patience_s);
  for (;;) {
    if (asked_.empty()) return std::nullopt;
    const bool over = !process_ || process_->child->ends_within(0);
    if (process_) {
      send_waiting();
      read_lines();
    }
    if (auto answer = next_answer()) return answer;
    if (process_ && process_->flooded) {
      process_->child->kill();
      const auto answer = ended(0, ProposerAnswer::End::too_long, "", "a line of its replies is longer than 2 MiB");
      process_.reset();
      return answer;
    }
    if (over) {
      std::string why = "the program has ended";
      if (process_) {
        const ChildEnd how = process_->child->wait();
        why = how.code == 127 && !how.signaled ? "the program could not be started"
                                               : fmt::format("the program ended with status {}", how.status());
      }
      const ProposerAnswer answer = ended(0, ProposerAnswer::End::failed, "", why);
      if (asked_.empty()) process_.reset();
      return answer;
    }
    if (Clock::now() >= until || (stop && stop())) return std::nullopt;
    std::this_thread::sleep_for(kLookEvery);
  }
}

void SessionProposer::cancel() {
  asked_.clear();
  lines_.clear();
  process_.reset();
}

}  // namespace harness
