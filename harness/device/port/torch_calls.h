#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/device.h"
#include "harness/device/port/torch_process.h"

namespace harness {

/// A caller of PyTorch (python_call.in) that another process has started and lends.
struct TorchOffer {
  PythonAddress there;
  bool without_walls = false;
};

void to_json(json& to, const TorchOffer& value);
void from_json(const json& from, TorchOffer& value);

/// How it is started. The sentence where it cannot be.
TorchProcess::Spec torch_caller(const std::string& device, bool trusted);
std::string no_torch_caller(const std::string& device, bool trusted, const std::string& why);

/// What a Session may be beside: one that calls PyTorch, in a process that is there already.
class TorchUser {
 public:
  virtual ~TorchUser() = default;
  virtual void use_torch(const TorchOffer& offer) = 0;
};

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

  /// From now on that one is asked, as long as it runs.
  void use(const TorchOffer& offer);

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
  void drop();

  std::string device_;
  bool trusted_, lent_without_walls_ = false;
  std::unique_ptr<PythonProcess> lent_;
  TorchProcess own_;
  std::int64_t next_id_ = 1;
};

}  // namespace harness
