#include "harness/serve_mcp/job_stop.h"

#include <chrono>
#include <mutex>

#include "harness/system/interrupt.h"

namespace harness {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr auto kAskEvery = std::chrono::milliseconds(100);

}  // namespace

struct JobStop::State {
  std::int64_t job;
  std::unique_ptr<Archive> archive;
  std::mutex mutex;
  SteadyClock::time_point asked{}, deadline = SteadyClock::time_point::max();
  bool cancelled = false;
};

JobStop::JobStop(std::int64_t job, const Shell& shell) : state_(std::make_shared<State>()) {
  state_->job = job;
  state_->archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::read);
}

bool JobStop::operator()() const {
  const std::lock_guard guard(state_->mutex);
  const auto now = SteadyClock::now();
  if (!state_->cancelled && now - state_->asked >= kAskEvery) {
    state_->cancelled = state_->archive->sessions().job(state_->job).cancelled;
    state_->asked = now;
  }
  return interrupted() || state_->cancelled || now >= state_->deadline;
}

void JobStop::give_up_after(std::optional<double> seconds) const {
  if (seconds)
    state_->deadline =
        SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(*seconds));
}

std::string JobStop::why() const {
  if (state_->cancelled) return "this job was cancelled";
  if (SteadyClock::now() >= state_->deadline) return "the session's budget was spent before this job had an answer";
  return "the process of this job was asked to stop";
}

}  // namespace harness
