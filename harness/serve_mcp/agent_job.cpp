#include "harness/serve_mcp/agent_job.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <thread>

#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/report/readers.h"
#include "harness/serve_mcp/agent_adopt.h"
#include "harness/serve_mcp/agent_evaluation.h"
#include "harness/serve_mcp/agent_ladder.h"
#include "harness/serve_mcp/answer.h"
#include "harness/service/asked_profile.h"
#include "harness/service/campaign_run.h"
#include "harness/service/candidate_digest.h"
#include "harness/system/awake_clock.h"
#include "harness/system/child.h"
#include "harness/system/descriptor.h"
#include "harness/system/interrupt.h"
#include "harness/system/resource_limits.h"

extern char** environ;

namespace harness {
namespace {

using mcp::Answer;

/// What a dynamic loader would run in the judge's processes.
bool is_loaded(const std::string& variable) {
  for (const char* name : {"LD_PRELOAD=", "LD_AUDIT=", "LD_BIND_NOT=", "LD_PROFILE=", "GCONV_PATH="})
    if (variable.starts_with(name)) return true;
  return false;
}

std::vector<std::string> job_environment() {
  std::vector<std::string> kept;
  for (char** each = environ; *each != nullptr; ++each)
    if (!is_loaded(*each)) kept.emplace_back(*each);
  return kept;
}

std::vector<std::string> command_of(std::int64_t job, const Shell& shell) {
  std::vector<std::string> line = {"/proc/self/exe", "mcp", "--job", std::to_string(job), "--db", shell.store_path()};
  for (const std::string& folder : shell.more_kernels) line.insert(line.end(), {"--kernels", folder});
  for (const std::string& folder : shell.more_strategies) line.insert(line.end(), {"--strategies", folder});
  if (shell.trust_source) line.emplace_back("--trust-source");
  if (shell.no_preflight) line.emplace_back("--no-preflight");
  line.insert(line.end(), {"--policy", shell.policy});
  return line;
}

/// The device, for one job at a time of all sessions on this store.
class Lease {
 public:
  explicit Lease(const std::string& path) : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    if (file_ < 0) throw environment_error(fmt::format("{} cannot be opened: {}", path, std::strerror(errno)));
  }
  ~Lease() { close(file_); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  bool take() const { return flock(file_, LOCK_EX | LOCK_NB) == 0; }

 private:
  int file_;
};

/// A campaign of the harness's own, which may take what is left of the budget.
Answer campaign_job(const AgentJob& job, const AgentSession& session, const JobStop& stop, Shell& shell) {
  const json& wanted = job.request;
  const double asked_s = wanted.value("budget_s", 60.0);
  CampaignAsked asked;
  asked.options.kernels = {wanted.at("kernel")};
  asked.options.variants = wanted.value("variants", std::vector<std::string>());
  if (wanted.contains("workload")) asked.options.workloads = split_commas(wanted["workload"]);
  asked.options.budget_s = std::max(1.0, std::round(std::min(session.left_s().value_or(asked_s), asked_s)));
  asked.options.name = campaign_name(job);
  asked.device = session.device;
  asked.times.emulated = predicted_gpu(session.device).empty();  // a GPU's times are measured all the same
  asked.stop = [&stop] { return stop(); };
  require_descriptors();
  watch_for_stops();
  report::Readers nobody({});
  leave_uncharged(awake_seconds() - awake_at_start());  // other jobs were waited for
  const CampaignSummary summary = run_campaign(std::move(asked), shell, nobody).summary;
  return campaign_answer(summary, choose_device(session.device, shell.rooms.devices(shell.places())));
}

Answer profile_job(const AgentJob& job, const AgentSession& session, const JobStop& stop, Shell& shell) {
  ProfileAsked asked;
  asked.words.from = job.request.at("iteration");
  if (!predicted_gpu(session.device).empty()) asked.device = session.device;
  asked.stop = [&stop] { return stop(); };
  Answer answer;
  const auto keep = [&](const ComparedProfiles& compared) {
    const DeviceInfo device = choose_device(session.device, shell.rooms.devices(shell.places()));
    answer = {{"ok", true},
              {"digest", candidate_digest({&compared.profiles[0], compared.candidates[0].problem.work, device,
                                           std::nullopt, std::nullopt},
                                          shell)},
              {"profile", compared.as_json()},
              {"lasting", true},
              {"next", "playbook has a page for what binds"}};
  };
  profile_asked(asked, shell.places(), shell, {[](const std::string&) {}, keep});
  return answer;
}

Answer carried_out(const AgentJob& job, const std::string& program_hash, const AgentSession& session,
                   const JobStop& stop, Archive& archive, Shell& shell) {
  try {
    if (job.kind == "campaign") return campaign_job(job, session, stop, shell);
    if (job.kind == "profile") return profile_job(job, session, stop, shell);
    if (job.kind == "adopt") return adopt_for_agent(job, stop, shell);
    if (job.kind == "compile") return compile_for_agent(job, session, archive, shell);
    if (job.kind == "predict") return predict_for_agent(job, session, stop, archive, shell);
  } catch (const Error& error) {
    return mcp::failure(job.kind, error.what(), "mend what it names, or ask for another one");
  }
  return evaluate_for_agent(job, program_hash, session, stop, archive, shell);
}

/// It ended before it had found what it was to find.
bool was_cut(const Answer& answer, const AgentJob& job, const JobStop& stop) {
  return answer.is_null() || answer.value("outcome", "") == "interrupted" || (job.kind == "campaign" && stop());
}

}  // namespace

void start_agent_job(std::int64_t job, const Shell& shell) {
  std::vector<std::string> line = command_of(job, shell);
  std::vector<std::string> variables = job_environment();
  auto words = exec_list(line), environment = exec_list(variables);
  const pid_t between = fork();
  if (between < 0) throw environment_error(fmt::format("no process can be made: {}", std::strerror(errno)));
  if (between > 0) {
    waitpid(between, nullptr, 0);
    return;
  }
  setsid();
  if (fork() > 0) _exit(0);  // the job belongs to nobody
  const int none = open("/dev/null", O_RDWR);
  for (int descriptor = 0; descriptor < 3; ++descriptor) dup2(none, descriptor);
  for (const int number : {SIGPIPE, SIGCHLD, SIGINT, SIGTERM}) signal(number, SIG_DFL);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  execve("/proc/self/exe", words.data(), environment.data());
  _exit(127);
}

int do_agent_job(std::int64_t id, const std::string& program_hash, Shell& shell) {
  catch_interrupts();
  const auto archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::write);
  AgentSessions& sessions = archive->sessions();
  if (!sessions.sign_job(id)) return 0;
  const AgentJob job = sessions.job(id);
  Answer answer;
  JobState state = JobState::done;
  std::optional<Lease> lease;  // until the answer is recorded: what a job spent is told by what its session had before
  try {
    const JobStop stop(id, shell);
    lease.emplace(fmt::format("{}-lease-{}", shell.store_path(), sessions.session(job.campaign).device));
    while (!lease->take() && !stop()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const AgentSession session = sessions.session(job.campaign);
    if (session.spent()) throw bad_input(fmt::format("the budget of session '{}' is spent", session.name));
    if (!stop()) {
      sessions.begin_job(id);
      stop.give_up_after(session.left_s());
      answer = carried_out(job, program_hash, session, stop, *archive, shell);
    }
    if (was_cut(answer, job, stop)) state = JobState::interrupted;
    if (answer.is_null()) answer = mcp::failure("interrupted", stop.why(), "the record keeps what it found so far");
  } catch (const Error& error) {
    answer = mcp::failure(error.kind() == Error::Kind::bad_input ? "bad_input" : "environment", error.what(),
                          "mend what it names and ask again");
  }
  const bool lasting = state == JobState::done && answer.value("lasting", false);
  answer.erase("lasting");
  sessions.end_job(id, state, json(answer), lasting);
  return 0;
}

}  // namespace harness
