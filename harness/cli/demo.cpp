#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/core/line_diff.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/service/no_device.h"
#include "harness/system/temporary_folder.h"

// demo: about a minute that shows what the program does, on whatever is here. Every step is a command that a person
// could have typed, and is shown as one; its store is gone afterwards.
namespace harness {
namespace {

// Small enough for a laptop, and slow for a reason that has a line.
constexpr const char* kKernel = "softmax";
constexpr const char* kWorkload = "m64n512_f32";
// A shape that no plugin names, for GPUs.
constexpr const char* kGpuKernel = "attention";
constexpr const char* kGpuShape = "B=4 Sq=3000 Sk=3000 causal";

// The record of a campaign on a GPU, for machines where nothing can be tried: as installed, and in a checkout.
constexpr const char* kRecords[] = {"examples/recorded/layernorm.jsonl",
                                    "bench/h200/agent_layernorm_forward_kernel.jsonl"};

struct DemoArguments {
  std::string budget = "30s";
  std::string device = "auto";
};

struct Run {
  int status = 0;
  std::string out;
};

/// This program with other words. Its result is returned, or shown where nobody asked for it.
Run run_self(std::vector<std::string> words, bool shown) {
  words.insert(words.begin(), "harness");
  std::vector<char*> list;
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  int ends[2] = {-1, -1};
  if (!shown && pipe2(ends, O_CLOEXEC) != 0) throw environment_error("no pipe can be made");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!shown) posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  pid_t process = 0;
  std::fflush(stdout);
  const int failed = posix_spawn(&process, "/proc/self/exe", &actions, nullptr, list.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (!shown) close(ends[1]);
  if (failed != 0) throw environment_error("this program cannot start itself");
  Run run;
  char bytes[4096];
  for (ssize_t count = 0; !shown && (count = read(ends[0], bytes, sizeof bytes)) > 0;)
    run.out.append(bytes, static_cast<std::size_t>(count));
  if (!shown) close(ends[0]);
  int how = 0;
  waitpid(process, &how, 0);
  run.status = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
  return run;
}

void show_command(const std::vector<std::string>& words) {
  std::string line = "$ harness";
  for (const std::string& word : words) {
    const bool plain = word.find(' ') == std::string::npos;
    line += plain ? " " + word : " \"" + word + "\"";
  }
  report::out("\n{}\n", line);
  std::fflush(stdout);
}

json answer_of(const std::vector<std::string>& words) {
  const Run run = run_self(words, false);
  if (run.status != 0) throw environment_error("the demo ends here: its step failed, as said above");
  return json::parse(run.out);
}

double number_of(const json& numbers, const char* name) {
  for (const json& each : numbers)
    if (each.at(0) == name) return each.at(1).get<double>();
  return 0;
}

/// The line that touches the most memory for what it needs, with its text.
struct CostlyLine {
  int number = 0;
  double sectors = 0, least = 0;
  std::string file, text;
};

std::string line_of(const std::string& source, int number) {
  std::size_t begin = 0;
  for (int at = 1; at < number && begin != std::string::npos; ++at) {
    begin = source.find('\n', begin);
    if (begin != std::string::npos) ++begin;
  }
  if (begin == std::string::npos) return "";
  const std::string line = source.substr(begin, source.find('\n', begin) - begin);
  return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

std::optional<CostlyLine> costliest(const json& profile, const std::string& source) {
  std::optional<CostlyLine> found;
  for (const json& launch : profile.at("launches"))
    for (const json& line : launch.at("lines")) {
      const json& numbers = line.at("numbers");
      const double sectors = number_of(numbers, "global_load_sectors") + number_of(numbers, "global_store_sectors");
      if (found && sectors <= found->sectors) continue;
      found = {line.at("line"), sectors, number_of(numbers, "least_sectors"), line.at("file"), ""};
    }
  if (found) found->text = line_of(source, found->number);
  return found;
}

/// With what it may save: the part that its excess has in the predicted time of the caches.
void tell_line(const CostlyLine& line, const json& numbers) {
  report::tell("line {} of {}:  {}\n", line.number, line.file, line.text);
  if (line.least <= 0) return;
  report::tell("  it touches {:.0f} sectors of memory, {:.0f} times as many as hold what it asks for\n", line.sectors,
               line.sectors / line.least);
  const double all = number_of(numbers, "global_load_sectors") + number_of(numbers, "global_store_sectors");
  const double saved = all > 0 ? number_of(numbers, "predicted_l1_ns") * (line.sectors - line.least) / all : 0;
  const double predicted = number_of(numbers, "predicted_ns");
  if (saved > 0 && saved < predicted)
    report::tell("  predicted gain: mending this line alone saves up to {} of {}\n", report::nanoseconds(saved),
                 report::nanoseconds(predicted));
}

/// What the naive variant costs on a GPU that is not here, and where.
void tell_profile(Shell& shell, const std::string& device) {
  report::tell("\n1. {} as one writes it first: what would it cost on a GPU, and which line is to blame?\n", kKernel);
  const std::vector<std::string> words = {"profile", kKernel, "00_naive", "--workload", kWorkload, "--device", device};
  show_command(words);
  std::vector<std::string> asked = words;
  asked.emplace_back("--json");
  const json profile = answer_of(asked);
  const std::string source = shell.rooms.catalog(shell.places())->plugin(kKernel).variant_texts("00_naive").source;
  report::tell("predicted for {}: {} (counted, not measured)\n", profile.value("device", ""),
               report::nanoseconds(number_of(profile.at("numbers"), "predicted_ns")));
  if (profile.at("diagnosis").is_object()) report::tell("{}\n", profile["diagnosis"].value("text", ""));
  if (const auto line = costliest(profile, source)) tell_line(*line, profile.at("numbers"));
}

/// The search, live. False: it was stopped, or had no result.
bool tell_search(const std::string& kernel, const std::string& workload, const DemoArguments& asked,
                 const std::string& device, const std::string& db) {
  report::tell(
      "\n2. the harness searches: every candidate is compiled, judged at sizes that it does not know, and timed\n");
  const std::vector<std::string> words = {"run",      kernel, "--workload", workload,
                                          "--device", device, "--budget",   asked.budget};
  show_command(words);
  std::vector<std::string> own = words;
  own.insert(own.end(), {"--db", db});
  return run_self(own, true).status <= 1;
}

void tell_winner(const std::string& kernel, const std::string& db) {
  std::vector<std::string> asked = {"best", "--json", "--db", db};
  if (!kernel.empty()) asked.push_back(kernel);
  const json rows = answer_of(asked);
  if (rows.empty()) return;
  const std::string iteration = rows[0].at("iteration").dump();
  report::tell("\n3. the winner beside the baseline, line by line\n");
  const json won = answer_of({"show", iteration, "--source", "--json", "--db", db});
  const json first = answer_of({"show", "1", "--source", "--json", "--db", db});
  show_command({"diff", "1", iteration});
  report::out_text(unified_diff(first.value("source", ""), won.value("source", ""), first.value("variant", ""),
                                won.value("variant", ""), 0));
}

/// Where nothing can be compiled: a campaign that was recorded on a GPU. `why` is the sentence that says what is
/// missing.
int demo_of_record(const std::string& why, Shell& shell) {
  std::string record;
  for (const char* place : kRecords)
    if (const std::string file = shell.places().home + "/" + place; record.empty() && std::filesystem::exists(file))
      record = file;
  if (record.empty()) throw environment_error(why);
  const TemporaryFolder folder("demo");
  const std::string db = folder.path("demo.db");
  report::tell(
      "harness makes CUDA kernels faster by itself. Nothing can be tried here: {}.\nSo this shows a campaign that was "
      "recorded on an H200: an ordinary layernorm, for which a coding agent proposed sources.\n"
      "\n1. the record is one file, and travels as text\n",
      why);
  show_command({"import", "--as-evidence", record});
  if (run_self({"import", "--as-evidence", record, "--db", db}, false).status != 0)
    throw environment_error("the demo ends here: " + record + " cannot be read, as said above");
  report::tell("\n2. what was tried, and how each ended: every candidate was compiled, judged and timed on the GPU\n");
  const std::vector<std::string> words = {
      "history", "--sort", "iteration", "--limit", "40", "--columns", "iteration,variant,outcome,time,speedup"};
  show_command(words);
  std::vector<std::string> own = words;
  own.insert(own.end(), {"--db", db});
  run_self(own, true);
  tell_winner("", db);
  report::tell("\nNothing of this was kept. harness doctor says what brings the rest.\n");
  return 0;
}

int demo(const DemoArguments& arguments, Shell& shell) {
  const std::vector<DeviceInfo> devices = shell.rooms.devices(shell.places());
  const auto available = [](const DeviceInfo& each) { return each.available; };
  if (arguments.device == "auto" && std::ranges::none_of(devices, available))
    return demo_of_record(no_device(devices), shell);
  const DeviceInfo device = choose_device(arguments.device, devices);
  const bool gpu = !device.emulation;
  const TemporaryFolder folder("demo");
  const std::string db = folder.path("demo.db");
  report::tell("harness makes CUDA kernels faster by itself. This shows it on {}, in about a minute.\n",
               gpu ? device.name : "this machine's processor, with times predicted for a GPU");
  const std::string kernel = gpu ? kGpuKernel : kKernel;
  if (!gpu) tell_profile(shell, device.device);
  if (!tell_search(kernel, gpu ? kGpuShape : kWorkload, arguments, device.device, db)) return 1;
  if (!gpu) tell_winner(kernel, db);
  report::tell("\nNothing of this was kept. With a kernel of yours: harness adopt FILE.cu, then harness run.\n");
  return 0;
}

}  // namespace

void define_demo(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<DemoArguments>();
  app.add_option("--budget", arguments->budget, "Of the search, the longest step")->capture_default_str();
  app.add_option("--device", arguments->device, "auto, cpu or cuda[:N]")->capture_default_str();
  add_plugin_options(app, shell);
  action = [arguments, &shell] { return demo(*arguments, shell); };
}

}  // namespace harness
