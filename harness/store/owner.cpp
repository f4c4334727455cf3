#include "harness/store/owner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <random>
#include <sstream>

#include "harness/system/files.h"
#include "harness/system/process_stat.h"

namespace harness::store {
namespace {

constexpr int kState = 3, kStartTime = 22;  // of a process

}  // namespace

// No process outlives its boot, and every attempt asks.
std::string this_boot() {
  static const std::string boot = [] {
    std::istringstream id(read_file_if_any("/proc/sys/kernel/random/boot_id").value_or(""));
    std::string word;
    id >> word;
    return word;
  }();
  return boot;
}

std::string this_process() {
  return fmt::format("{} {} {}", this_boot(), getpid(), process_stat(getpid(), kStartTime));
}

Owner parse_owner(const std::string& text) {
  std::istringstream parts(text);
  std::string machine, pid, started;
  Owner owner;
  if (parts >> machine >> pid >> started) owner.process = fmt::format("{} {} {}", machine, pid, started);
  if (!(parts >> owner.spent_s >> owner.lived_s)) owner.spent_s = owner.lived_s = 0;
  return owner;
}

bool still_runs(const std::string& owner) {
  std::istringstream parts(owner);
  std::string machine, started;
  long pid = 0;
  if (!(parts >> machine >> pid >> started) || machine != this_boot() || process_stat(pid, kStartTime) != started)
    return false;
  const std::string state = process_stat(pid, kState);
  return state != "Z" && state != "X";
}

std::string pulse_path(const std::string& store, const std::string& process) {
  std::istringstream parts(process);
  std::string machine, pid, started;
  parts >> machine >> pid >> started;
  return fmt::format("{}-alive-{}-{}", store, pid, started);
}

std::string new_uuid() {
  std::random_device device;
  std::string uuid;
  for (int word = 0; word < 4; ++word) uuid += fmt::format("{:08x}", device());
  return uuid;
}

}  // namespace harness::store
