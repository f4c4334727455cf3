#include "harness/worker/memory/watched_check.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/system/files.h"
#include "harness/system/temporary_folder.h"
#include "harness/worker/processes/process.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr int kErrorsFound = 86;  // the status of a tool that found something

/// What the run under a tool says of itself: that it came to its end, or what kept it from that.
std::string trouble_of(const TemporaryFolder& folder, const std::string& tool) {
  const json said = parse_json_if_valid(read_file_if_any(folder.path(tool + ".end")).value_or(""));
  return said.is_object() ? said.value("trouble", "") : "it did not come to its end";
}

std::vector<PlacedBuffer> placed_buffers(const TemporaryFolder& folder, const std::string& tool) {
  const json said = parse_json_if_valid(read_file_if_any(folder.path(tool + ".buffers")).value_or(""));
  return said.is_array() ? said.get<std::vector<PlacedBuffer>>() : std::vector<PlacedBuffer>{};
}

std::vector<std::string> command(const MemoryWatcher& watcher, const std::string& program,
                                 const TemporaryFolder& folder, const std::string& tool) {
  std::vector<std::string> words{program};
  for (std::string& word : watcher.arguments(tool, folder.path(tool + ".log"), kErrorsFound))
    words.push_back(std::move(word));
  words.insert(words.end(), {Process::program(), "worker", "watched", folder.path().string(), tool});
  return words;
}

/// The beginning of a log, for a finding that nobody knows to read.
std::string first_lines(const std::string& log) {
  constexpr std::size_t kShown = 600;
  return log.substr(0, std::min(kShown, log.size()));
}

MemoryCheck conclude(const MemoryWatcher& watcher, const TemporaryFolder& folder, const std::string& tool,
                     const ProcessEnd& end) {
  const std::string text = read_file_if_any(folder.path(tool + ".log")).value_or("");
  WatchedLog log = watcher.read(text, placed_buffers(folder, tool));
  MemoryCheck check{.tool = tool, .findings = std::move(log.findings)};
  const std::string trouble = trouble_of(folder, tool);
  const bool has_findings = !check.findings.empty();
  check.checked = log.complete && (has_findings || trouble.empty());
  if (check.checked && !has_findings && !end.signaled && end.code == kErrorsFound) {
    check.findings.push_back({"other", fmt::format("{} reports errors in none of the forms known here: {}",
                                                   watcher.name(), first_lines(text))});
  }
  if (!check.checked) {
    check.why =
        fmt::format("{} did not finish its check ({} {}): {}", watcher.name(), end.signaled ? "signal" : "exit status",
                    end.code, !trouble.empty() ? trouble : text.substr(0, 300));
    if (!end.output.empty()) check.why += "; " + end.output.substr(0, 300);
  }
  return check;
}

/// `left` of the `allowed` seconds that all tools have from their common start.
MemoryCheck await_tool(const MemoryWatcher& watcher, const TemporaryFolder& folder, const std::string& tool,
                       Process& process, double left, double allowed, const std::function<bool()>& stop) {
  if (process.ends_within(std::max(0.0, left), stop)) return conclude(watcher, folder, tool, process.wait());
  process.kill();
  if (stop && stop()) return {.tool = tool, .why = "it was interrupted"};
  return {.tool = tool, .why = fmt::format("it did not end within {:.1f} s", allowed)};
}

}  // namespace

std::vector<MemoryCheck> check_memory_watched(const MemoryWatcher& watcher, const std::vector<std::string>& tools,
                                              const Target& target, const Executable& executable,
                                              const SharedMemory& image, double deadline_s,
                                              const std::function<bool()>& stop) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto elapsed_s = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const std::string program = watcher.find_program();
  std::vector<MemoryCheck> checks;
  if (program.empty()) {
    for (const std::string& tool : tools) {
      checks.push_back({.tool = tool,
                        .available = false,
                        .why = watcher.name() + " was not found in PATH or the toolkit's bin folder"});
    }
    return checks;
  }
  const TemporaryFolder folder("watched");
  write_file(folder.path("job.json"), json_text(json{{"target", target}, {"executable", executable}}));
  const auto bytes = image.bytes();
  write_file(folder.path("image"), std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  // Side by side: nothing is timed meanwhile, and most of each is starting up.
  std::vector<Process> processes;
  for (const std::string& tool : tools)
    processes.push_back(Process::start_program(program, command(watcher, program, folder, tool)));
  for (std::size_t i = 0; i < processes.size(); ++i) {
    checks.push_back(await_tool(watcher, folder, tools[i], processes[i], deadline_s - elapsed_s(), deadline_s, stop));
    checks.back().seconds = elapsed_s();
  }
  return checks;
}

int serve_watched(const DeviceKinds& kinds, const std::string& folder, const std::string& tool) {
  json end = json::object();
  try {
    const json job = parse_json(read_file(folder + "/job.json"));
    const auto target = job.at("target").get<Target>();
    const std::string image = read_file(folder + "/image");
    const auto watcher = find_kind(kinds, target.device).make_watcher();
    if (!watcher) throw environment_error(fmt::format("nothing watches the memory of {}", target.device));
    watcher->run(target, job.at("executable").get<Executable>(), std::as_bytes(std::span(image)), tool,
                 [&](const std::vector<PlacedBuffer>& placed) {
                   write_file(folder + "/" + tool + ".buffers", json_text(placed));
                 });
  } catch (const std::exception& error) {
    end["trouble"] = error.what();
  }
  write_file(folder + "/" + tool + ".end", json_text(end));
  return end.contains("trouble") ? 1 : 0;
}

}  // namespace harness
