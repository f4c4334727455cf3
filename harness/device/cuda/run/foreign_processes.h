#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace harness::cuda {

/// Counts processes on a GPU that are not ours: the supervisor of this worker, its other workers and this process
/// itself are. In a container NVML may give ids of another namespace; then only what joins after the construction can
/// be told apart.
class ForeignProcesses {
 public:
  /// Ids of the processes that compute on the GPU, as NVML sees them; nullopt where it does not say.
  using Lister = std::function<std::optional<std::vector<unsigned int>>()>;

  explicit ForeignProcesses(const std::string& pci_bus_id);
  /// `is_ours` decides over an id, `self` is this process's own.
  ForeignProcesses(Lister lister, std::function<bool(unsigned int)> is_ours, unsigned int self);

  /// About 0.2 ms on a GPU.
  void sample();
  /// The most that were seen at once.
  int most() const { return most_; }

 private:
  int count();

  Lister lister_;
  std::function<bool(unsigned int)> is_ours_;
  unsigned int self_;
  std::size_t known_ = 0;  // processes at the construction, where ids cannot be told apart
  int most_ = 0;
};

/// Whether a process of this machine is this one, its parent, or descends from its parent.
bool is_of_our_family(unsigned int id);

}  // namespace harness::cuda
