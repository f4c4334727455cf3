#include "harness/predict/counting_predictor.h"

#include <algorithm>
#include <atomic>
#include <cassert>

#include "harness/system/awake_clock.h"

namespace harness {

CountingPredictor::~CountingPredictor() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool CountingPredictor::ended() const {
  return closed_ || awake_seconds() > ends_ || (options_.stop && options_.stop());
}

void CountingPredictor::begin(std::int64_t ticket, std::vector<Realized> candidates) {
  const std::lock_guard lock(mutex_);
  if (ends_ == 0) ends_ = awake_seconds() + options_.most_s;
  Open& open = open_[ticket];
  open.times.ticket = ticket;
  open.times.ns.resize(candidates.size());
  open.left = candidates.size();
  for (std::size_t i = 0; i < candidates.size(); ++i) jobs_.push_back({ticket, i, std::move(candidates[i])});
  while (static_cast<int>(threads_.size()) < options_.threads) threads_.emplace_back([this] { work(); });
  changed_.notify_all();
}

std::optional<PredictedTimes> CountingPredictor::take() {
  const std::lock_guard lock(mutex_);
  const bool is_over = ended();
  const auto done = std::ranges::find_if(open_, [&](const auto& ticket) { return is_over || ticket.second.left == 0; });
  if (done == open_.end()) return std::nullopt;
  PredictedTimes times = std::move(done->second.times);
  open_.erase(done);
  return times;
}

void CountingPredictor::work() {
  std::atomic<double> deadline = 0;  // of the candidate that this thread is at, on the clock of awake_seconds()
  std::unique_ptr<Profiler> profiler;
  for (;;) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closed_ || !jobs_.empty(); });
      if (ended()) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    std::optional<double> ns;
    deadline = awake_seconds() + options_.most_each_s;
    try {
      if (!profiler)
        profiler = options_.profiler([this, &deadline] {
          const std::lock_guard lock(mutex_);
          return ended() || awake_seconds() > deadline;
        });
      ProfileRequest request;
      request.gpu = options_.gpu;
      if (const auto profile = profiler->profile(job.candidate, request)) ns = profile->number("predicted_ns");
    } catch (const std::exception&) {  // nothing is predicted of it: it is tried as if nobody had asked
    }
    if (awake_seconds() > deadline) profiler.reset();
    const std::lock_guard lock(mutex_);
    const auto open = open_.find(job.ticket);
    if (open == open_.end()) continue;  // it was answered without this one
    assert(job.place < open->second.times.ns.size() && open->second.left > 0);
    open->second.times.ns[job.place] = ns;
    --open->second.left;
  }
}

}  // namespace harness
