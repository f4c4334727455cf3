#include "harness/device/cuda/run/foreign_processes.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "harness/device/cuda/run/gpu_state.h"
#include "harness/system/process_stat.h"

namespace harness::cuda {
namespace {

pid_t parent_of(pid_t id) {  // 0 if there is none to be seen
  return std::atoi(process_stat(id, 4).c_str());
}

}  // namespace

bool is_of_our_family(unsigned int id) {
  const pid_t head = getppid() > 1 ? getppid() : getpid();
  constexpr int kGenerations = 8;
  pid_t at = static_cast<pid_t>(id);
  for (int i = 0; i < kGenerations && at > 1; ++i) {
    if (at == head || at == getpid()) return true;
    at = parent_of(at);
  }
  return false;
}

ForeignProcesses::ForeignProcesses(const std::string& pci_bus_id)
    : ForeignProcesses([pci_bus_id] { return compute_processes(pci_bus_id); }, is_of_our_family,
                       static_cast<unsigned int>(getpid())) {}

ForeignProcesses::ForeignProcesses(Lister lister, std::function<bool(unsigned int)> is_ours, unsigned int self)
    : lister_(std::move(lister)), is_ours_(std::move(is_ours)), self_(self) {
  if (const auto ids = lister_()) known_ = ids->size();
}

int ForeignProcesses::count() {
  const auto ids = lister_();
  if (!ids) return 0;
  const bool ids_are_ours = std::ranges::find(*ids, self_) != ids->end();
  if (ids_are_ours)
    return static_cast<int>(std::ranges::count_if(*ids, [&](unsigned int id) { return !is_ours_(id); }));
  return ids->size() > known_ ? static_cast<int>(ids->size() - known_) : 0;
}

void ForeignProcesses::sample() {
  most_ = std::max(most_, count());
}

}  // namespace harness::cuda
