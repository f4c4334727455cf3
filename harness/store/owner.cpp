#include "harness/store/owner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <random>
#include <sstream>

#include "harness/system/files.h"
#include "harness/system/process_stat.h"

namespace harness::store {
namespace {

constexpr int kStartTime = 22;  // of a process

std::string boot() {
  std::istringstream id(read_file_if_any("/proc/sys/kernel/random/boot_id").value_or(""));
  std::string word;
  id >> word;
  return word;
}

}  // namespace

std::string this_process() {
  return fmt::format("{} {} {}", boot(), getpid(), process_stat(getpid(), kStartTime));
}

bool still_runs(const std::string& owner) {
  std::istringstream parts(owner);
  std::string machine, started;
  long pid = 0;
  return parts >> machine >> pid >> started && machine == boot() && process_stat(pid, kStartTime) == started;
}

std::string new_uuid() {
  std::random_device device;
  std::string uuid;
  for (int word = 0; word < 4; ++word) uuid += fmt::format("{:08x}", device());
  return uuid;
}

}  // namespace harness::store
