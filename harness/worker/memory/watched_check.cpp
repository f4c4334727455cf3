#include "harness/worker/memory/memory_check_cuda.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "harness/device/cuda/run/separate_run.h"
#include "harness/system/text_file.h"
#include "harness/worker/memory/sanitizer_log.h"
#include "harness/worker/processes/process.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTools[] = {"memcheck", "racecheck", "initcheck", "synccheck"};
constexpr int kErrorsFound = 86;

class JobFolder {
 public:
  JobFolder() {
    std::string name = (fs::temp_directory_path() / "harness-sanitized-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw environment_error("no folder for compute-sanitizer can be made in TMPDIR.");
    path_ = name;
  }
  ~JobFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw environment_error(fmt::format("{} cannot be written; free some space.", path));
}

bool is_program(const fs::path& path) {
  return fs::is_regular_file(path) && access(path.c_str(), X_OK) == 0;
}

std::vector<fs::path> program_folders() {
  std::vector<fs::path> folders;
  const char* path = std::getenv("PATH");
  std::istringstream parts(path ? path : "");
  for (std::string folder; std::getline(parts, folder, ':');) folders.emplace_back(folder);
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* root = std::getenv(name);
    if (root && *root) folders.push_back(fs::path(root) / "bin");
  }
  folders.emplace_back("/usr/local/cuda/bin");
  return folders;
}

std::int64_t element_bytes(const Problem& problem, const std::string& name) {
  const Argument* argument = find_argument(problem, name);
  return argument && is_tensor(argument->kind) ? storage_bytes(argument->dtype) : 1;
}

/// What the run under a tool says of itself: that it came to its end, or what kept it from that.
std::string trouble_of(const JobFolder& folder, const std::string& tool) {
  const json said = parse_json_if_valid(read_text_if_any(folder.path(tool + ".end")));
  return said.is_object() ? said.value("trouble", "") : "it did not come to its end";
}

std::vector<PlacedBuffer> placed_buffers(const JobFolder& folder, const std::string& tool) {
  const json said = parse_json_if_valid(read_text_if_any(folder.path(tool + ".buffers")));
  return said.is_array() ? said.get<std::vector<PlacedBuffer>>() : std::vector<PlacedBuffer>{};
}

std::vector<std::string> command(const std::string& sanitizer, const JobFolder& folder, const std::string& tool) {
  std::vector<std::string> words{sanitizer,
                                 "--tool",
                                 tool,
                                 "--error-exitcode",
                                 std::to_string(kErrorsFound),
                                 "--log-file",
                                 folder.path(tool + ".log"),
                                 "--print-limit",
                                 "20"};
  // A call that the driver refuses (a symbol that a module lacks, a limit) is ours and no fault of device code.
  if (tool == "memcheck") words.insert(words.end(), {"--report-api-errors", "no"});
  words.insert(words.end(), {Process::program(), "worker", "sanitized", folder.path(), tool});
  return words;
}

/// The beginning of a log, for a finding that nobody knows to read.
std::string first_lines(const std::string& log) {
  constexpr std::size_t kShown = 600;
  return log.substr(0, std::min(kShown, log.size()));
}

MemoryCheck conclude(const JobFolder& folder, const std::string& tool, const ProcessEnd& end) {
  const std::string log = read_text_if_any(folder.path(tool + ".log"));
  MemoryCheck check{.tool = tool};
  check.findings = read_sanitizer_log(log, placed_buffers(folder, tool));
  const std::string trouble = trouble_of(folder, tool);
  const bool found = !check.findings.empty();
  check.checked = has_sanitizer_summary(log) && (found || trouble.empty());
  if (check.checked && !found && !end.signaled && end.code == kErrorsFound) {
    check.findings.push_back(
        {"other", "compute-sanitizer reports errors in none of the forms known here: " + first_lines(log)});
  }
  if (!check.checked) {
    check.why =
        fmt::format("compute-sanitizer did not finish its check ({} {}): {}", end.signaled ? "signal" : "exit status",
                    end.code, !trouble.empty() ? trouble : log.substr(0, 300));
    if (!end.output.empty()) check.why += "; " + end.output.substr(0, 300);
  }
  return check;
}

/// `left` of the `allowed` seconds that all tools have from their common start.
MemoryCheck await_tool(const JobFolder& folder, const std::string& tool, Process& process, double left, double allowed,
                       const std::function<bool()>& stop) {
  if (process.ends_within(std::max(0.0, left), stop)) return conclude(folder, tool, process.wait());
  process.kill();
  if (stop && stop()) return {.tool = tool, .why = "it was interrupted"};
  return {.tool = tool, .why = fmt::format("it did not end within {:.1f} s", allowed)};
}

}  // namespace

std::string find_compute_sanitizer() {
  for (const fs::path& folder : program_folders()) {
    if (is_program(folder / "compute-sanitizer")) return (folder / "compute-sanitizer").string();
  }
  return "";
}

std::vector<MemoryCheck> check_memory_cuda(const Target& target, const Executable& executable,
                                           const SharedMemory& image, double deadline_s,
                                           const std::function<bool()>& stop) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const auto elapsed_s = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const std::string sanitizer = find_compute_sanitizer();
  std::vector<MemoryCheck> checks;
  if (sanitizer.empty()) {
    for (const char* tool : kTools) {
      checks.push_back({.tool = tool, .why = "compute-sanitizer was not found in PATH or the toolkit's bin folder"});
    }
    return checks;
  }
  const JobFolder folder;
  write_text(folder.path("job.json"), json_text(json{{"target", target}, {"executable", executable}}));
  const auto bytes = image.bytes();
  write_text(folder.path("image"), std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  // Side by side: nothing is timed meanwhile, and most of each is starting up.
  std::vector<Process> processes;
  for (const char* tool : kTools)
    processes.push_back(Process::start_program(sanitizer, command(sanitizer, folder, tool)));
  for (std::size_t i = 0; i < processes.size(); ++i) {
    checks.push_back(await_tool(folder, kTools[i], processes[i], deadline_s - elapsed_s(), deadline_s, stop));
    checks.back().seconds = elapsed_s();
  }
  return checks;
}

int serve_sanitized(const std::string& folder, const std::string& tool) {
  json end = json::object();
  try {
    const json job = parse_json(read_text(folder + "/job.json"));
    const auto target = job.at("target").get<Target>();
    const auto executable = job.at("executable").get<Executable>();
    const std::string image = read_text(folder + "/image");
    const auto placed = [&](const std::vector<cuda::SeparateBuffer>& buffers) {
      std::vector<PlacedBuffer> known;
      for (const cuda::SeparateBuffer& b : buffers) {
        known.push_back({b.name, b.address, b.bytes, element_bytes(executable.problem, b.name)});
      }
      write_text(folder + "/" + tool + ".buffers", json_text(known));
    };
    cuda::run_separately(cuda_ordinal(target), executable, std::as_bytes(std::span(image)), tool == "initcheck",
                         placed);
  } catch (const std::exception& error) {
    end["trouble"] = error.what();
  }
  write_text(folder + "/" + tool + ".end", json_text(end));
  return end.contains("trouble") ? 1 : 0;
}

}  // namespace harness
