#include "harness/store/owner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

namespace harness::store {
namespace {

std::string contents(const std::string& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// In clock ticks since boot; "" where there is no such process. Field 22 of /proc/<pid>/stat, counted after the name,
/// which may hold spaces and parentheses.
std::string start_time(long pid) {
  const std::string facts = contents(fmt::format("/proc/{}/stat", pid));
  const auto end_of_name = facts.rfind(')');
  if (end_of_name == std::string::npos) return "";
  std::istringstream fields(facts.substr(end_of_name + 1));
  std::string field;
  for (int number = 3; number <= 22; ++number) fields >> field;
  return field;
}

std::string boot() {
  std::istringstream id(contents("/proc/sys/kernel/random/boot_id"));
  std::string word;
  id >> word;
  return word;
}

}  // namespace

std::string this_process() {
  return fmt::format("{} {} {}", boot(), getpid(), start_time(getpid()));
}

bool still_runs(const std::string& owner) {
  std::istringstream parts(owner);
  std::string machine, started;
  long pid = 0;
  return parts >> machine >> pid >> started && machine == boot() && start_time(pid) == started;
}

std::string new_uuid() {
  std::random_device device;
  std::string uuid;
  for (int word = 0; word < 4; ++word) uuid += fmt::format("{:08x}", device());
  return uuid;
}

}  // namespace harness::store
