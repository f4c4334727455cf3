#pragma once
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/device/port/target.h"
#include "harness/system/python_process.h"

namespace harness {

/// The device of a worker as PyTorch names it: "cpu" where GPU code is emulated, "cuda:1".
std::string torch_device(const Target& target);

/// A Python program of ours that needs PyTorch, in a process that stays: starting PyTorch takes seconds. It is started
/// by the first interpreter that has PyTorch, within the walls; without them only where these keep the GPU from it and
/// `trusted` says so. Its words are its folder, `words`, the device, and "must" or "may": whether it is of any use
/// without the device.
class TorchProcess {
 public:
  struct Spec {
    std::vector<std::pair<std::string, std::string>> files;  // PythonStart
    std::vector<std::string> words, readable, environment;
    std::string device;
    bool trusted = false;
    bool device_needed = true;
  };
  explicit TorchProcess(Spec spec);

  /// Starts it and waits for nothing.
  void begin();
  /// Waits until it is ready, as long as `stop` allows. Null: it cannot be had, and why() says for what reasons.
  PythonProcess* ready(const std::function<bool()>& stop = {});
  const std::string& why() const { return why_; }
  bool without_walls() const;
  /// The next ready() starts another.
  void end() { process_.reset(); }
  const PythonProcess* running() const { return process_.get(); }

 private:
  struct Attempt {
    std::string python;
    bool walled = true, device_needed = true;
  };
  bool is_greeted(const std::function<bool()>& stop);
  Spec spec_;
  std::vector<Attempt> attempts_;
  std::size_t attempt_ = 0;
  std::unique_ptr<PythonProcess> process_;
  bool greeted_ = false;
  std::string why_;
};

}  // namespace harness
