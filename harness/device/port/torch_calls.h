#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/device.h"
#include "harness/system/python_process.h"

namespace harness {

/// Calls of PyTorch as steps of plans (core/torch_call.h), in a process that stays: starting PyTorch takes seconds. It
/// holds copies of the images, and never sees how a candidate is launched. Its functions throw NotSupported (no
/// PyTorch, no GPU in the walls, a type that it has not), LaunchRefused (the program raises), DeviceMemoryExhausted.
class TorchCalls {
 public:
  static constexpr const char* kProcessor = "cpu";
  /// `device` as PyTorch names it: kProcessor, "cuda:1". `trusted`: where the walls keep the GPU from it, it runs
  /// without.
  TorchCalls(std::string device, bool trusted);
  ~TorchCalls();
  TorchCalls(const TorchCalls&) = delete;

  /// Calls the program on the arguments in `image` and writes what it returned to the outputs there. Nanoseconds.
  double run(const Executable& executable, std::span<std::byte> image);

  /// What is timed: `calls` in one CUDA graph, on sets of their own.
  struct Held {
    std::int64_t id = 0, calls = 1, sets = 1;
    double call_ns = 0;
    std::string method;
  };
  /// Until release(). The images stay the caller's.
  Held hold(const Executable& executable, const ImageList& images, std::int64_t l2_bytes);
  /// Nanoseconds of one call each: launches for about `seconds`; single calls after a flush; calls on one set.
  std::vector<double> burst(const Held& held, double seconds);
  std::vector<double> cold(const Held& held, int count);
  std::vector<double> warm(const Held& held, int count);
  void release();

 private:
  json ask(json request, double deadline_s);
  PythonProcess& process();
  void start();
  void take_hello(std::unique_ptr<PythonProcess> started, const std::string& python, std::string& said);

  std::string device_;
  bool trusted_, without_walls_ = false;
  std::unique_ptr<PythonProcess> process_;
  std::int64_t next_id_ = 1;
};

}  // namespace harness
