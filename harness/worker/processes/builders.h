#pragma once
#include <atomic>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/plan.h"
#include "harness/device/port/device_kind.h"
#include "harness/worker/processes/process.h"

namespace harness {

/// A pool of compiler processes. Demanded builds go before speculative ones, which leave them a quarter of the
/// processes; the same spec is built once, unless so much was built since that it was forgotten (the cache on disk has
/// it still). Thread-safe.
class Builders {
 public:
  using Result = std::shared_future<BuildResult>;

  /// A build that takes longer than target.compile.deadline_s is given up by its builder, as a CompileFailure.
  Builders(Target target, int processes);
  ~Builders();  // drops what is queued; waits for nothing
  /// `demanded` false: speculative, built when nobody waits for anything else.
  Result submit(const BuildSpec& spec, bool demanded);
  /// Whether it was built here and is not forgotten: submit() then answers at once.
  bool has_built(const BuildSpec& spec) const;
  /// Seconds spent on speculative builds since the last call.
  double take_speculative_seconds();
  /// While one lives, no speculative build is begun: the cores belong to a timing. Demanded builds go on.
  class Pause {
   public:
    explicit Pause(Builders& builders);
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Builders& builders_;
  };
  /// Waits at most `settle_s` for the speculative builds that run already.
  [[nodiscard]] std::unique_ptr<Pause> pause_speculative(double settle_s = 0);
  /// How the builders' compilers are confined, in words; "" until a builder has answered.
  std::string confinement() const;

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
  std::deque<std::shared_ptr<Job>>::iterator choose();
  void finish(Job& job, BuildResult result, bool speculative);
  void fail(Job& job, std::exception_ptr error, bool speculative);
  void forget_oldest(const std::string& finished);
  BuildResult build(std::optional<Process>& process, const BuildSpec& spec);
  std::optional<BuildResult> ask(std::optional<Process>& process, const BuildSpec& spec);

  Target target_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<Job>> queue_;
  std::map<std::string, std::shared_ptr<Job>> known_;
  std::deque<std::string> finished_;  // keys of known_, oldest first
  double speculative_s_ = 0;
  int most_speculative_ = 0;     // at once
  int pauses_ = 0;               // alive
  int speculative_running_ = 0;  // builds
  std::string confinement_;
  std::atomic<bool> closing_ = false;
  std::vector<std::thread> threads_;
};

/// The worker's side: serves builds on descriptor 3 until it is closed.
int serve_builder(const DeviceKinds& kinds);

}  // namespace harness
