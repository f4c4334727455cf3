#include "harness/device/cuda/run/foreign_processes.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "harness/device/cuda/run/gpu_state.h"

namespace harness::cuda {
namespace {

/// The parent of a process, from /proc/ID/stat: "ID (NAME) STATE PARENT ..."; 0 if there is none to be seen.
pid_t parent_of(pid_t id) {
  std::ifstream file(fmt::format("/proc/{}/stat", id));
  std::stringstream text;
  text << file.rdbuf();
  const std::string line = text.str();
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return 0;
  std::istringstream rest(line.substr(name_end + 1));
  std::string state;
  pid_t parent = 0;
  rest >> state >> parent;
  return parent;
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
