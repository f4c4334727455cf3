#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "harness/core/predictor.h"
#include "harness/core/profiler.h"

namespace harness {

struct CountingPredictorOptions {
  DeviceInfo device;  // that counts
  std::string gpu;
  int threads = 1;
  double most_s = 60;
  double most_each_s = 15;  // of a candidate: a slow one holds up what comes behind it
  std::function<bool()> stop;
  /// One for each thread, made there, and anew after one was stopped; `stop` ends what it is at.
  std::function<std::unique_ptr<Profiler>(std::function<bool()> stop)> profiler;
};

/// Predicts by counting, on a few threads of its own, each with workers of its own. It ends by itself: what has not
/// been predicted `most_s` after the first candidate came is left out.
class CountingPredictor : public Predictor {
 public:
  explicit CountingPredictor(CountingPredictorOptions options) : options_(std::move(options)) {}
  ~CountingPredictor() override;
  CountingPredictor(const CountingPredictor&) = delete;
  CountingPredictor& operator=(const CountingPredictor&) = delete;

  DeviceInfo device() override { return options_.device; }
  std::string gpu() override { return options_.gpu; }
  void begin(std::int64_t ticket, std::vector<Realized> candidates) override;
  std::optional<PredictedTimes> take() override;

 private:
  struct Job {
    std::int64_t ticket = 0;
    std::size_t place = 0;
    Realized candidate;
  };
  struct Open {
    PredictedTimes times;
    std::size_t left = 0;  // of its candidates
  };

  bool ended() const;
  void work();

  CountingPredictorOptions options_;
  double ends_ = 0;  // on the clock of awake_seconds(); 0: nothing has begun
  std::mutex mutex_;
  std::condition_variable changed_;
  bool closed_ = false;
  std::deque<Job> jobs_;
  std::map<std::int64_t, Open> open_;
  std::vector<std::thread> threads_;
};

}  // namespace harness
