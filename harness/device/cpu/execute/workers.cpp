#include "harness/device/cpu/execute/workers.h"

namespace harness::cpu {

Workers::Workers(int count) {
  runners_.push_back(std::make_unique<BlockRunner>());
  grow(count);
}

void Workers::grow(int count) {
  const int old = this->count();
  for (int i = old; i < count; ++i) runners_.push_back(std::make_unique<BlockRunner>());
  for (int i = old; i < count; ++i) threads_.emplace_back([this, i] { serve(i); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  begin_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::run(int workers, const Job& job) {
  {
    const std::lock_guard lock(mutex_);
    job_ = &job;
    active_ = workers;
    left_ = workers - 1;
    error_ = nullptr;
    ++round_;
  }
  if (workers > 1) begin_.notify_all();
  run_job(0);
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return left_ == 0; });
  if (error_) std::rethrow_exception(error_);
}

void Workers::serve(int worker) {
  long long seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    begin_.wait(lock, [&] { return ending_ || round_ != seen; });
    if (ending_) return;
    seen = round_;
    if (worker >= active_) continue;
    lock.unlock();
    run_job(worker);
    lock.lock();
    if (--left_ == 0) done_.notify_one();
  }
}

void Workers::run_job(int worker) {
  try {
    (*job_)(*runners_[static_cast<std::size_t>(worker)], worker);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }
}

}  // namespace harness::cpu
