#pragma once
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/device/cpu/execute/block.h"

namespace harness::cpu {

/// The host threads that run blocks, made at once and kept. The calling thread is worker 0.
class Workers {
 public:
  using Job = std::function<void(BlockRunner&, int worker)>;

  explicit Workers(int count);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Makes more threads, so that there are `count` at least.
  void grow(int count);
  int count() const { return static_cast<int>(runners_.size()); }
  /// Runs `job` once on each of the first `workers` threads and returns when all are done. The first exception thrown
  /// by a job is thrown again here.
  void run(int workers, const Job& job);

 private:
  void serve(int worker);
  void run_job(int worker);

  std::vector<std::unique_ptr<BlockRunner>> runners_;
  std::mutex mutex_;
  std::condition_variable begin_, done_;
  const Job* job_ = nullptr;
  int active_ = 0, left_ = 0;
  long long round_ = 0;
  bool ending_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

}  // namespace harness::cpu
