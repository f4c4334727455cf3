#pragma once
#include <map>
#include <string>
#include <vector>

namespace harness::capture {

/// Which file below some folders defines a kernel. The folders are read once, no more than some thousand files.
class KernelSources {
 public:
  explicit KernelSources(const std::vector<std::string>& folders);
  /// A CUDA source with `__global__` and this name; "" where there is none.
  std::string cuda(const std::string& entry) const { return found(cuda_, entry); }
  /// A Python source with this function under triton.jit.
  std::string triton(const std::string& entry) const { return found(triton_, entry); }

 private:
  static std::string found(const std::map<std::string, std::string>& all, const std::string& entry);
  std::map<std::string, std::string> cuda_, triton_;  // entry -> file
};

}  // namespace harness::capture
