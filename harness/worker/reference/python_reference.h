#pragma once
#include <memory>
#include <span>
#include <string>

#include "harness/core/contract.h"
#include "harness/core/image.h"
#include "harness/device/port/torch_process.h"
#include "harness/judge/reference.h"

namespace harness {

/// A reference that is a Python program, in a process of its own that stays: starting PyTorch takes seconds. It sees
/// its program and the system's folders, writes to a scratch folder, and has no network. It belongs to one thread.
class PythonReference {
 public:
  /// `device`: where PyTorch computes, if it can (torch_device); else on the processor. `trusted`: TorchProcess.
  PythonReference(std::string device, bool trusted);
  ~PythonReference();
  PythonReference(PythonReference&&) = delete;

  /// Starts the process for this program, unless it is there, and waits for nothing.
  void begin(const std::string& program);
  /// All outputs for the inputs of `image`, of `layout`. Throws Error(bad_input) with what the program said where it
  /// raises, returns what the contract does not say, ends, or needs more than 100 s; Error(environment) where no
  /// interpreter has PyTorch.
  judge::ReferenceValues compute(const Problem& problem, const ImageLayout& layout, std::span<const std::byte> image);

 private:
  PythonProcess& process_for(const std::string& program);
  std::string device_, program_;
  bool trusted_;
  std::unique_ptr<TorchProcess> process_;
};

/// The sentence for a machine where no interpreter has PyTorch.
std::string no_pytorch();

}  // namespace harness
