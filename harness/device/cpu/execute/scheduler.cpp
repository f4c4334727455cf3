#include "harness/device/cpu/execute/scheduler.h"

#include "harness/device/cpu/execute/indices.h"

namespace harness::cpu {
namespace {

constexpr int kMaxThreads = 1024;
thread_local Scheduler* running = nullptr;

}  // namespace

void ThreadList::push(Thread& thread) {
  thread.next = nullptr;
  (first_ ? last_->next : first_) = &thread;
  last_ = &thread;
}

Thread& ThreadList::pop() {
  Thread& thread = *first_;
  first_ = thread.next;
  return thread;
}

Scheduler::Scheduler(ThreadBody& body) : body_(body), stacks_(kMaxThreads) {}

void Scheduler::shape(const HarnessCpuIndex& block) {
  threads_.assign(static_cast<std::size_t>(block.x) * block.y * block.z, Thread{});
  stacks_.open(static_cast<int>(threads_.size()));
  for (int i = 0; Thread & thread : threads_) {
    const unsigned linear = static_cast<unsigned>(i);
    thread.linear = i++;
    thread.index = {linear % block.x, linear / block.x % block.y, linear / (block.x * block.y)};
  }
}

void Scheduler::run() {
  stacks_.reset();
  for (Thread& thread : threads_) thread.state = ThreadState::unstarted;
  runnable_ = {};
  started_ = exited_ = 0;
  running = this;
  switch_fiber(root_, next_fiber(true));
}

void Scheduler::resume() {
  running = this;
  switch_fiber(root_, next_fiber(false));
}

void Scheduler::wait(const Site& site, std::uint32_t mask) {
  Thread& self = *current_;
  self.site = site;
  self.mask = mask;
  self.state = ThreadState::waiting;
  switch_fiber(self.fiber, next_fiber(false));
  enter(self);
}

void Scheduler::wake(Thread& thread) {
  thread.state = ThreadState::runnable;
  runnable_.push(thread);
}

bool Scheduler::yield() {
  Thread& self = *current_;
  if (runnable_.empty() && started_ == static_cast<int>(threads_.size())) return false;
  wake(self);
  switch_fiber(self.fiber, next_fiber(true));
  enter(self);
  return true;
}

void Scheduler::abandon() {
  leave_fiber(root_);
}

void Scheduler::enter(Thread& thread) {
  current_ = &thread;
  harness_cpu_thread_idx = thread.index;
}

Thread* Scheduler::take_unstarted() {
  return started_ < static_cast<int>(threads_.size()) ? &threads_[started_++] : nullptr;
}

Fiber& Scheduler::next_fiber(bool unstarted_first) {
  if (!runnable_.empty() && !(unstarted_first && started_ < static_cast<int>(threads_.size())))
    return runnable_.pop().fiber;
  Thread* thread = take_unstarted();
  if (!thread) return root_;
  thread->stack = stacks_.take();
  prepare(thread->fiber, stacks_.top(thread->stack), stacks_.bottom(thread->stack), fiber_main);
  starting_ = thread;
  return thread->fiber;
}

void Scheduler::fiber_main(boost::context::detail::transfer_t transfer) {
  arrived(transfer);
  running->host_threads();
}

void Scheduler::host_threads() {
  Thread* thread = starting_;
  const int stack = thread->stack;
  while (thread) {
    thread->stack = stack;
    thread->state = ThreadState::runnable;
    enter(*thread);
    body_.run_thread(*thread);
    thread->state = ThreadState::exited;
    ++exited_;
    thread = runnable_.empty() ? take_unstarted() : nullptr;
    if (thread) thread->fiber = {nullptr, stacks_.bottom(stack), StackPool::kStackBytes, nullptr};
  }
  stacks_.give_back(stack);
  leave_fiber(next_fiber(false));
}

}  // namespace harness::cpu
