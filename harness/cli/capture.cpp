#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>

#include "harness/capture/trace.h"
#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/system/files.h"
#include "harness/system/interrupt.h"

// capture: what a running program launches, ranked; one launch as workload and data.
namespace fs = std::filesystem;

namespace harness {
namespace {

struct CaptureArguments {
  std::string folder = "capture", launch;
  std::int64_t skip = 0;
  std::vector<std::string> program;
  std::size_t most_rows = 20;
  bool json = false;
};

/// The library that is loaded into the program: beside this one, or where it was installed.
std::string injected_library() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed).parent_path();
  for (const fs::path& place : {program / "libharness_capture.so", program / "../lib/harness/libharness_capture.so"})
    if (fs::is_regular_file(place, failed)) return fs::canonical(place, failed).string();
  throw environment_error(
      fmt::format("libharness_capture.so is neither beside this program ({}) nor in lib/harness/; build or install "
                  "harness anew",
                  program.string()));
}

/// New, empty or of an earlier capture, whose processes are forgotten.
void prepare_folder(const std::string& folder) {
  std::error_code failed;
  if (fs::exists(folder, failed) && !fs::is_empty(folder, failed) && !fs::exists(folder + "/capture.json", failed))
    throw bad_input(
        fmt::format("'{}' is no folder of an earlier capture, and not empty; name another one with -o", folder));
  fs::create_directories(folder, failed);
  if (failed) throw environment_error(fmt::format("{} cannot be made: {}", folder, failed.message()));
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (entry.path().filename().string().starts_with("process-")) fs::remove(entry.path(), failed);
  write_file(folder + "/capture.json", "{}\n");
}

int run_watched(const CaptureArguments& arguments) {
  setenv("CUDA_INJECTION64_PATH", injected_library().c_str(), 1);
  setenv("HARNESS_CAPTURE_DIR", fs::canonical(arguments.folder).c_str(), 1);
  setenv("HARNESS_CAPTURE_LAUNCH", arguments.launch.c_str(), 1);
  setenv("HARNESS_CAPTURE_SKIP", std::to_string(arguments.skip).c_str(), 1);
  std::vector<char*> words;
  for (const std::string& word : arguments.program) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  catch_interrupts();  // the program gets the signal too and ends; what it did until then is shown
  pid_t process = 0;
  if (const int failed = posix_spawnp(&process, words[0], nullptr, nullptr, words.data(), environ); failed != 0)
    throw bad_input(fmt::format("the program '{}' cannot be started: {}", arguments.program[0], std::strerror(failed)));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::vector<std::string> source_folders(const CaptureArguments& arguments) {
  std::error_code failed;
  std::vector<std::string> folders{fs::current_path(failed).string()};
  for (const std::string& word : arguments.program)
    if (fs::is_regular_file(word, failed) && word.find('/') != std::string::npos)
      if (const fs::path beside = fs::canonical(word, failed).parent_path(); beside != "/usr/bin" && beside != "/bin")
        folders.push_back(beside.string());
  return folders;
}

std::string dimensions(const std::array<std::int64_t, 3>& extents) {
  std::string text = std::to_string(extents[0]);
  if (extents[1] != 1 || extents[2] != 1) text += fmt::format("x{}", extents[1]);
  if (extents[2] != 1) text += fmt::format("x{}", extents[2]);
  return text;
}

/// The middle of a long name says least.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  return text.substr(0, most / 2) + "..." + text.substr(text.size() - (most - most / 2 - 3));
}

void print_ranked(const capture::Capture& found, const CaptureArguments& arguments) {
  report::Table table{{"kernel", "from", "calls", "GPU time", "share", "a call", "at 2x", "grid", "block"}, {}};
  for (const capture::CapturedKernel& each : found.kernels) {
    if (table.rows.size() == arguments.most_rows) break;
    const capture::LaunchGroup& group = each.groups.front();
    const std::string more = each.groups.size() > 1 ? fmt::format(" +{}", each.groups.size() - 1) : "";
    table.rows.push_back({shortened(each.name, 48), capture::origin_text(each.origin), std::to_string(each.calls),
                          report::nanoseconds(each.total_ns), fmt::format("{:.1f} %", each.share * 100),
                          report::nanoseconds(each.total_ns / static_cast<double>(each.calls)),
                          fmt::format("{:.2f}x", each.whole_speedup_at_2x), dimensions(group.grid) + more,
                          dimensions(group.block)});
  }
  report::out("{}", report::aligned(table));
  if (found.kernels.size() > table.rows.size())
    report::out("and {} more, in {}/capture.json\n", found.kernels.size() - table.rows.size(), arguments.folder);
  report::tell("{} of GPU time in {} process{}; at 2x: how much less it would be if the kernel took half as long\n",
               report::nanoseconds(found.total_ns), found.processes, found.processes == 1 ? "" : "es");
  for (const capture::CapturedKernel& each : found.kernels)
    if (!each.source.empty()) report::out("{}: {}\n", each.entry, report::clean(each.source));
}

/// What can be adopted, the most promising first.
std::string next_command(const capture::Capture& found, const CaptureArguments& arguments) {
  for (const capture::CapturedKernel& each : found.kernels)
    if (each.origin == capture::Origin::source)
      return fmt::format("harness capture -o {} --launch {} -- {}", arguments.folder, each.entry,
                         fmt::join(arguments.program, " "));
  return "";
}

int capture_program(const CaptureArguments& arguments, Shell&) {
  prepare_folder(arguments.folder);
  std::error_code failed;
  if (!arguments.launch.empty()) fs::remove_all(arguments.folder + "/launch", failed);
  const int status = run_watched(arguments);
  const capture::Capture found = capture::read_capture(arguments.folder, source_folders(arguments));
  const json object = capture::capture_json(found);
  write_file(arguments.folder + "/capture.json", object.dump(1) + "\n");
  for (const std::string& each : found.errors) report::err("harness: {}\n", report::clean(each));
  if (found.kernels.empty())
    throw environment_error(fmt::format(
        "{} was run (status {}) and launched no kernel that could be seen: {}", arguments.program[0], status,
        !found.errors.empty()  ? "it could not be watched"
        : found.processes == 0 ? "no process of it initialized CUDA, so either it used no GPU or there is no driver"
                               : "CUDA was initialized and nothing was launched"));
  if (arguments.json) report::out_json(object);
  else print_ranked(found, arguments);
  if (status != 0) report::err("harness: the program ended with status {}\n", status);
  if (!arguments.launch.empty()) {
    if (!fs::exists(arguments.folder + "/launch/launch.json", failed))
      throw bad_input(fmt::format(
          "no launch of '{}' was recorded: it was launched fewer than {} times, or only while a graph was captured",
          arguments.launch, arguments.skip + 1));
    report::err("next: harness adopt --from-capture {}\n", arguments.folder);
  } else if (const std::string next = next_command(found, arguments); !next.empty()) {
    report::err("next: {}\n", next);
  }
  return status == 0 ? 0 : 1;
}

}  // namespace

void define_capture(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<CaptureArguments>();
  app.add_option("-o,--output", arguments->folder, "Where it is written (default: capture)")->type_name("DIR");
  app.add_option("--launch", arguments->launch,
                 "Also record one launch of this kernel (a part of its name) with the memory behind its pointers")
      ->type_name("KERNEL");
  app.add_option("--skip", arguments->skip, "Let so many launches of it pass first")->check(CLI::NonNegativeNumber);
  app.add_option("--rows", arguments->most_rows, "Kernels in the table (default: 20)")->check(CLI::PositiveNumber);
  app.add_flag("--json", arguments->json, "One JSON object; the program's own output is not touched");
  app.add_option("program", arguments->program, "What to run, behind --")->required()->type_name("PROGRAM ARGS");
  action = [arguments, &shell] { return capture_program(*arguments, shell); };
}

}  // namespace harness
