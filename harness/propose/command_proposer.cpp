#include "harness/propose/command_proposer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/utf8.h"
#include "harness/system/files.h"
#include "harness/system/temporary_folder.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::uintmax_t kLongestReply = 2 << 20, kLongestLog = 64 << 10;
// Of any file that it writes, its own among them: what goes on writing for ever ends here.
constexpr rlim_t kLargestFile = 256 << 20;
constexpr double kLookAtSizeS = 0.1;

/// The first bytes of a file, as text.
std::string beginning_of(const std::string& path, std::uintmax_t most) {
  std::ifstream in(path, std::ios::binary);
  std::string text(most, '\0');
  in.read(text.data(), static_cast<std::streamsize>(most));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::uintmax_t size_of(const std::string& path) {
  std::error_code failed;
  const std::uintmax_t size = fs::file_size(path, failed);
  return failed ? 0 : size;
}

void strike_out(std::string& text, const std::vector<std::string>& secrets) {
  constexpr std::size_t kShortest = 6;  // what is shorter is in every text
  for (const std::string& secret : secrets) {
    if (secret.size() < kShortest) continue;
    for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at))
      text.replace(at, secret.size(), "[removed]");
  }
}

}  // namespace

void strike_out_secrets(ProposerAnswer& answer, const std::vector<std::string>& secrets) {
  strike_out(answer.text, secrets);
  strike_out(answer.log, secrets);
}

struct CommandProposer::Running {
  TemporaryFolder folder{"proposal"};
  std::unique_ptr<Child> child;
  Clock::time_point begun, deadline;
  double deadline_s = 0;
  std::int64_t number = 0;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begun).count(); }
  std::string reply() const { return folder.path("reply"); }
  std::string log() const { return folder.path("log"); }
};

CommandProposer::CommandProposer(CommandSetup setup) : setup_(std::move(setup)) {}
CommandProposer::~CommandProposer() = default;

void CommandProposer::begin(const ProposalRecord& record, double deadline_s) {
  Running& running = *running_.emplace_back(std::make_unique<Running>());
  running.number = record.number;
  const std::string request = running.folder.path("request"), reply = running.reply(), log = running.log();
  write_file(request, record.request + "\n");
  std::vector<std::string> arguments = setup_.arguments, variables = setup_.environment;
  const std::vector<char*> argv = exec_list(arguments), environment = exec_list(variables);
  running.begun = Clock::now();
  running.deadline_s = deadline_s;
  running.deadline =
      running.begun + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(deadline_s));
  ChildSetup setup;
  setup.limits.file_bytes = kLargestFile;
  running.child = std::make_unique<Child>(setup, [&] {
    const int in = open(request.c_str(), O_RDONLY), out = open(reply.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600),
              err = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (in < 0 || out < 0 || err < 0) return 126;
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    execve(argv[0], argv.data(), environment.data());
    return 127;
  });
}

std::optional<ProposerAnswer> CommandProposer::outcome_of(const Running& running, bool ended) {
  using End = ProposerAnswer::End;
  ProposerAnswer answer;
  if (size_of(running.reply()) > kLongestReply) {
    answer.end = End::too_long;
    answer.why = fmt::format("the reply is longer than {} MiB", kLongestReply >> 20);
    return answer;
  }
  if (ended) {
    const ChildEnd how = running.child->wait();
    answer.end = how.status() == 0 ? End::answered : End::failed;
    if (how.signaled) answer.why = fmt::format("the program was ended by signal {}", how.code);
    else if (how.code == 127) answer.why = "the program could not be started";
    else if (how.code != 0) answer.why = fmt::format("the program ended with status {}", how.code);
    return answer;
  }
  if (Clock::now() < running.deadline) return std::nullopt;
  answer.end = End::timed_out;
  answer.why = fmt::format("no reply within {:.0f} s", running.deadline_s);
  return answer;
}

std::optional<ProposerAnswer> CommandProposer::take(double patience_s, const std::function<bool()>& stop) {
  if (running_.empty()) return std::nullopt;
  const auto until = Clock::now() + std::chrono::duration<double>(patience_s);
  for (;;) {
    const double left_s = std::chrono::duration<double>(until - Clock::now()).count();
    const double look_s = std::clamp(left_s, 0.0, kLookAtSizeS) / static_cast<double>(running_.size());
    for (std::size_t place = 0; place < running_.size(); ++place) {
      const bool ended = running_[place]->child->ends_within(look_s, stop);
      if (auto answer = outcome_of(*running_[place], ended)) return end(place, std::move(*answer));
    }
    if (left_s <= 0 || (stop && stop())) return std::nullopt;
  }
}

ProposerAnswer CommandProposer::end(std::size_t place, ProposerAnswer answer) {
  Running& running = *running_[place];
  answer.number = running.number;
  answer.latency_s = running.seconds();
  running.child->kill();
  answer.text = beginning_of(running.reply(), kLongestReply);
  answer.log = valid_utf8(beginning_of(running.log(), kLongestLog));
  if (answer.end != ProposerAnswer::End::answered) answer.text = valid_utf8(answer.text.substr(0, kLongestLog));
  strike_out_secrets(answer, setup_.secrets);
  if (answer.end == ProposerAnswer::End::failed && !answer.log.empty()) {
    const std::size_t last = answer.log.find_last_not_of(" \t\r\n");
    const std::size_t line = last == std::string::npos ? 0 : answer.log.rfind('\n', last) + 1;
    answer.why += ": " + answer.log.substr(line, std::min<std::size_t>(last + 1 - line, 300));
  }
  running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(place));
  return answer;
}

void CommandProposer::cancel() {
  running_.clear();
}

}  // namespace harness
