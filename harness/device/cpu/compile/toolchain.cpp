#include "harness/device/cpu/compile/toolchain.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "harness/core/error.h"
#include "harness/system/distribution.h"
#include "harness/system/files.h"
#include "harness/system/run_program.h"

namespace harness::cpu {
namespace {

/// The first line "<key> : value" of /proc/cpuinfo.
std::string cpuinfo(const std::string& key) {
  std::istringstream in(read_file_if_any("/proc/cpuinfo").value_or(""));
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(key) && line.find(": ") != std::string::npos) return line.substr(line.find(": ") + 2);
  return "";
}

constexpr int kOldest = 11, kNewestKnown = 16;  // of g++

/// "12.2.0"; "" for what does not answer as g++ does.
std::string full_version(const std::string& compiler) {
  const ProcessResult result = run_process({compiler, "-dumpfullversion"}, "/tmp", {10, 1ll << 30});
  const std::string text = result.output.substr(0, result.output.find('\n'));
  const bool number = result.exit_status == 0 && text.find_first_not_of("0123456789.") == std::string::npos;
  return number ? text : "";
}

}  // namespace

std::string find_compiler() {
  const std::string usual = find_program("g++"), version = usual.empty() ? "" : full_version(usual);
  if (std::atoi(version.c_str()) >= kOldest) return usual;
  for (int each = kNewestKnown; each >= kOldest; --each)
    if (const std::string named = find_program("g++-" + std::to_string(each)); !named.empty()) return named;
  if (usual.empty())
    throw environment_error("the cpu device needs g++ and there is none in PATH; what brings it here: " +
                            gxx_install_command());
  if (version.empty()) return usual;  // compiler_version says what is wrong with it
  throw environment_error("the cpu device needs g++ 11 or later, and " + usual + " is " + version +
                          "; install a later one (such as g++-12) beside it");
}

std::string compiler_version(const std::string& compiler) {
  const std::string text = full_version(compiler);
  if (text.empty())
    throw environment_error(compiler +
                            " does not answer -dumpfullversion as g++ does; name a g++ of version 11 or later");
  return "g++ " + text;
}

std::vector<std::string> toolchain_folders(const std::string& compiler) {
  namespace fs = std::filesystem;
  std::vector<std::string> folders = {"/usr/bin", "/usr/lib", "/usr/lib64", "/usr/libexec",      "/usr/include",
                                      "/bin",     "/lib",     "/lib64",     "/etc/alternatives", "/etc/ld.so.cache"};
  std::error_code absent;
  folders.push_back(fs::path(compiler).parent_path().string());
  folders.push_back(fs::canonical(compiler, absent).parent_path().string());
  // "libraries: =/a:/b", and the like for programs and the folder it is installed in
  std::istringstream lines(run_process({compiler, "-print-search-dirs"}, "/tmp", {10, 1ll << 30}).output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream named(line.substr(std::min(line.size(), line.find_first_of('/'))));
    for (std::string folder; std::getline(named, folder, ':');)
      if (const fs::path real = fs::canonical(folder, absent); !absent) folders.push_back(real.string());
  }
  std::erase_if(folders, [](const std::string& folder) { return folder.empty() || folder == "/"; });
  return folders;
}

std::string processor_features() {
  return processor_name() + "\n" + cpuinfo("flags") + cpuinfo("Features");  // the latter on aarch64
}

std::string processor_name() {
  const std::string model = cpuinfo("model name");
  if (!model.empty()) return model;
  // Kernels for aarch64 say numbers instead.
  return fmt::format("Arm implementer {}, part {}, revision {}", cpuinfo("CPU implementer"), cpuinfo("CPU part"),
                     cpuinfo("CPU revision"));
}

}  // namespace harness::cpu
