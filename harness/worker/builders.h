#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/plan.h"
#include "harness/worker/target.h"

namespace harness {

/// A pool of compiler processes. Demanded builds go before speculative ones; the same spec is built once. Thread-safe.
class Builders {
 public:
  using Result = std::shared_future<BuildResult>;

  Builders(Target target, int processes, double deadline_s = 60);
  ~Builders();  // drops what is queued; waits for nothing
  /// `demanded` false: speculative, built when nobody waits for anything else.
  Result submit(const BuildSpec& spec, bool demanded);
  /// Seconds spent on speculative builds since the last call.
  double take_speculative_seconds();

 private:
  struct Job {
    BuildSpec spec;
    std::string key;
    bool demanded = false;
    std::promise<BuildResult> promise;
    Result result;
  };
  void serve();
  std::shared_ptr<Job> next(bool& speculative);
  BuildResult build(class Process& process, const BuildSpec& spec);

  Target target_;
  double deadline_s_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Job>> queue_;
  std::map<std::string, std::shared_ptr<Job>> known_;
  double speculative_s_ = 0;
  std::atomic<bool> closing_ = false;
  std::vector<std::thread> threads_;
};

/// The worker's side: serves builds on descriptor 3 until it is closed.
int serve_builder();

}  // namespace harness
