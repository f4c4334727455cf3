#include "harness/system/run_program.h"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "harness/system/child.h"
#include "harness/system/deadline.h"
#include "harness/system/descriptor.h"
#include "harness/system/pipe.h"
#include "harness/system/walls.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
// What a build writes is an object file or two, a few hundred kilobytes.
constexpr rlim_t kMaxFileBytes = 256 << 20;

std::string search_path() {
  const char* path = std::getenv("PATH");
  return path ? path : "/usr/bin:/bin";
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& scratch,
                          const CompileLimits& limits, const Confinement& confinement, std::size_t output_bytes) {
  // The limit of processor time ends what would outlive both the deadline and this process.
  const ResourceLimits resources{static_cast<rlim_t>(limits.deadline_s) + 1, static_cast<rlim_t>(limits.memory_bytes),
                                 kMaxFileBytes};
  return run_process(ProgramCall{arguments}, scratch, resources, limits, confinement, output_bytes);
}

ProcessResult run_process(const ProgramCall& command, const std::string& scratch, const ResourceLimits& resources,
                          const CompileLimits& limits, const Confinement& confinement, std::size_t output_bytes) {
  std::vector<std::string> argument_texts = command.arguments, environment_texts = command.environment;
  if (environment_texts.empty()) environment_texts = {"PATH=" + search_path(), "LC_ALL=C", "TMPDIR=" + scratch};
  const Descriptor input(command.input.empty() ? -1 : open(command.input.c_str(), O_RDONLY | O_CLOEXEC));
  const Descriptor answer(
      command.answer.empty() ? -1 : open(command.answer.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  const std::vector<char*> argv = exec_list(argument_texts), environment = exec_list(environment_texts);
  Pipe pipe;
  Child child({pipe.write_end.get(), resources, &confinement}, [&] {
    const bool reads = input.get() < 0 || dup2(input.get(), STDIN_FILENO) == STDIN_FILENO;
    const bool answers = answer.get() < 0 || dup2(answer.get(), STDOUT_FILENO) == STDOUT_FILENO;
    if (reads && answers && chdir("/") == 0) execve(argv[0], argv.data(), environment.data());
    return 127;
  });
  pipe.write_end.reset();
  BoundedLog output(output_bytes);
  const auto take = [&](std::string_view part) { return output.append(part), true; };
  const std::vector<Stream> streams{{pipe.read_end.get(), take}};
  Deadline deadline(child.id(), patience_of(limits));
  ProcessResult result;
  result.timed_out = !ends_in_time(
      deadline, [&](auto slice) { return read_until_closed(streams, std::chrono::steady_clock::now() + slice); });
  // One that closes its output and goes on has no more time than another.
  if (!result.timed_out)
    result.timed_out = !ends_in_time(
        deadline, [&](auto slice) { return child.ends_within(std::chrono::duration<double>(slice).count()); });
  if (result.timed_out) child.kill();
  result.output = output.text();
  result.exit_status = child.wait().status();
  if (result.exit_status == kNotConfined) throw not_confined(result.output);
  return result;
}

std::string find_program(const std::string& name, const std::vector<std::string>& more_folders) {
  std::vector<std::string> folders;
  std::istringstream parts(search_path());
  for (std::string folder; std::getline(parts, folder, ':');) folders.push_back(folder);
  folders.insert(folders.end(), more_folders.begin(), more_folders.end());
  for (const std::string& folder : folders) {
    const std::string candidate = folder + "/" + name;
    std::error_code dangling;
    const bool is_wrapper = fs::canonical(candidate, dangling).filename() == "ccache";  // it wants a home of its own
    if (fs::is_regular_file(candidate, dangling) && access(candidate.c_str(), X_OK) == 0 && !is_wrapper)
      return candidate;
  }
  return "";
}

}  // namespace harness
