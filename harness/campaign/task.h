#pragma once
#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace harness {

/// Work that waits in the middle: a coroutine that begins when it is awaited or started, and whose result or exception
/// goes to whoever awaited it. Single-threaded: it goes on where what it waits for resumes it.
template <typename T>
class [[nodiscard]] Task {
 public:
  struct promise_type {
    std::optional<T> result;
    std::exception_ptr failure;
    std::coroutine_handle<> awaiting;

    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
        const auto next = ended.promise().awaiting;
        return next ? next : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {}; }
    void return_value(T value) { result = std::move(value); }
    void unhandled_exception() { failure = std::current_exception(); }
  };

  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Task() {
    if (handle_) handle_.destroy();
  }

  /// Runs to where it first waits, or to its end. Once.
  void start() { handle_.resume(); }
  bool done() const { return handle_.done(); }
  /// Of a task that is done; throws what it threw.
  T result() {
    if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
    return std::move(*handle_.promise().result);
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
    handle_.promise().awaiting = awaiting;
    return handle_;
  }
  T await_resume() { return result(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

}  // namespace harness
