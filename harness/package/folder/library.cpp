#include "harness/package/folder/library.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <filesystem>
#include <vector>

#include "harness/system/files.h"
#include "harness/system/run_program.h"
#include "harness/system/walls.h"

namespace harness::package {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone at the end.
class Workshop {
 public:
  Workshop() : path_((fs::temp_directory_path() / ("harness-library-" + unique_name())).string()) {
    fs::create_directories(path_);
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  std::string at(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// What g++ needs, and nothing else: the sources may be a stranger's package.
Confinement confined(const std::string& compiler, const std::string& workshop) {
  std::error_code absent;
  Reach reach{{}, {"/bin", "/lib", "/lib64", "/etc/alternatives", "/etc/ld.so.cache"}, workshop};
  for (const fs::path& program : {fs::path(compiler), fs::canonical(compiler, absent)})
    if (const fs::path top = program.parent_path().parent_path(); !top.empty() && top != "/")
      reach.programs.push_back(top.string());
  return {walls_here(), reach};
}

}  // namespace

std::string library_path(const std::string& name) {
  utsname machine{};
  uname(&machine);
  return fmt::format("python/{0}/{0}.{1}.so", name, machine.machine);
}

BuiltLibrary build_library(const PackageFiles& files) {
  const std::string compiler = find_program("g++");
  if (compiler.empty()) return {"", "", "g++ was not found in PATH"};
  const CompileLimits limits;
  const Workshop workshop;
  std::vector<std::string> sources;
  for (const auto& [path, text] : files) {
    if (!path.starts_with("include/") && (!path.starts_with("src/") || path.starts_with("src/kernels/"))) continue;
    const std::string to = workshop.at(path.substr(path.find('/') + 1));
    write_file(to, text);
    if (path.ends_with(".cpp")) sources.push_back(to);
  }
  const std::string built = workshop.at("made.so");
  // No exceptions, no type information and nothing undefined but what libc has: no library of C++ is needed then.
  std::vector<std::string> command{compiler,
                                   "-std=c++17",
                                   "-O2",
                                   "-fPIC",
                                   "-shared",
                                   "-fno-exceptions",
                                   "-fno-rtti",
                                   "-s",
                                   "-fvisibility=hidden",
                                   "-Wl,--as-needed",
                                   "-Wl,--no-undefined"};
  command.insert(command.end(), sources.begin(), sources.end());
  command.insert(command.end(), {"-o", built, "-ldl", "-lpthread"});
  const ProcessResult result = run_process(command, workshop.at(""), limits, confined(compiler, workshop.at("")));
  if (result.exit_status != 0 || !fs::exists(built))
    return {"", "", fmt::format("g++ does not compile the launcher: {}", first_line(result.output))};
  const ProcessResult version = run_process({compiler, "-dumpfullversion"}, workshop.at(""), limits);
  return {read_file(built), "g++ " + first_line(version.output), ""};
}

}  // namespace harness::package
