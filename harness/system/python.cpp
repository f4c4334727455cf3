#include "harness/system/python.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t kLargestFile = rlim_t{16} << 30;
constexpr rlim_t kMappedByPython = rlim_t{8} << 30;  // libraries of PyTorch, and stacks of its threads

std::string text_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

std::vector<std::string> python_interpreters() {
  if (const std::string named = text_of("HARNESS_PYTHON"); !named.empty()) return {named};
  std::vector<std::string> all;
  std::istringstream folders(text_of("PATH") + ":/usr/bin:/usr/local/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string path = folder + "/python3";
    // A shim of pyenv is a script that asks for files of the user's.
    if (folder.empty() || folder.ends_with("/shims") || access(path.c_str(), X_OK) != 0) continue;
    std::error_code failed;
    const auto same = [&](const std::string& other) { return fs::equivalent(other, path, failed); };
    if (std::ranges::none_of(all, same)) all.push_back(path);
  }
  return all;
}

Reach system_reach(const std::vector<std::string>& readable, const std::string& writable) {
  Reach reach;
  reach.readable = readable;
  reach.readable.insert(reach.readable.end(),
                        {"/dev/null", "/dev/urandom", "/dev/zero", "/sys/devices/system/cpu", "/proc/cpuinfo"});
  reach.programs = {"/usr", "/lib", "/lib64", "/bin", "/sbin", "/opt", "/etc/alternatives", "/etc/ld.so.cache"};
  reach.writable = writable;
  return reach;
}

Reach python_reach(const std::string& python, const std::vector<std::string>& readable, const std::string& writable) {
  std::error_code failed;
  const fs::path real = fs::canonical(python, failed);
  Reach reach = system_reach(readable, writable);
  reach.programs.push_back(fs::path(python).parent_path().parent_path());
  if (!failed) reach.programs.push_back(real.parent_path().parent_path());
  std::erase(reach.programs, "/");
  return reach;
}

ResourceLimits python_limits() {
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  ResourceLimits limits;
  if (pages > 0 && bytes > 0)
    limits.memory_bytes = static_cast<rlim_t>(pages) / 4 * 3 * static_cast<rlim_t>(bytes) + kMappedByPython;
  limits.file_bytes = kLargestFile;
  return limits;
}

std::vector<std::string> python_environment(const std::string& scratch) {
  return {"PATH=" + text_of("PATH"),   "LC_ALL=C.UTF-8",     "HOME=" + scratch,       "TMPDIR=" + scratch,
          "PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1", "CUDA_VISIBLE_DEVICES=", "TORCHDYNAMO_DISABLE=1",
          "KMP_INIT_AT_FORK=FALSE"};
}

}  // namespace harness
