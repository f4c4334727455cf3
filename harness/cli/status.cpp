#include "harness/cli/status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/report/view.h"
#include "harness/report/wrap.h"
#include "harness/service/no_device.h"
#include "harness/system/run_program.h"

namespace harness {
namespace {

/// What a person may want to do next.
struct Advice {
  std::vector<std::pair<std::string, std::string>> commands;  // and what each does
  void add(const std::string& command, const std::string& what) { commands.emplace_back(command, what); }
};

void say(const char* what, const std::string& text) {
  report::tell("{:<10} {}\n", what, text);
}

struct Ready {
  bool any = false, gpu = false;
};

std::string devices_line(const std::vector<DeviceInfo>& devices, Ready& ready) {
  std::vector<std::string> words;
  for (const DeviceInfo& device : devices) {
    if (!device.available) continue;
    ready.any = true;
    ready.gpu = ready.gpu || !device.emulation;
    words.push_back(device.emulation ? fmt::format("{} (predicts a GPU's times)", device.device)
                                     : fmt::format("{} ({})", device.device, device.name));
  }
  return words.empty() ? no_device(devices) : fmt::format("{}", fmt::join(words, ", "));
}

/// What candidates are compiled with; nvcc only where a variant's builder is to be it.
std::string compilers_line(const std::vector<DeviceInfo>& devices) {
  std::vector<std::string> words;
  for (const DeviceInfo& device : devices)
    if (!device.compiler.empty() && std::ranges::find(words, device.compiler) == words.end())
      words.push_back(device.compiler);
  if (!find_program("nvcc").empty()) words.emplace_back("nvcc");
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

/// Coding agents that could drive `harness mcp` or propose variants here.
std::string agents_line() {
  std::vector<std::string> found;
  for (const char* agent : {"claude", "codex", "gemini", "opencode"})
    if (!find_program(agent).empty()) found.emplace_back(agent);
  return found.empty() ? "none in PATH" : fmt::format("{} (harness mcp serves them)", fmt::join(found, ", "));
}

/// The newest campaign; advice where it was cut short, or is there to be looked at.
std::string store_line(Shell& shell, Advice& advice) {
  const std::string path = shell.store_path();
  std::error_code none;
  if (!std::filesystem::exists(path, none)) return path + " is not there yet: the first run makes it";
  const auto archive = shell.rooms.archive(path, ArchiveAccess::read);
  HistoryFilter filter;
  filter.limit = 1;
  const json rows = archive->history().campaigns(filter);
  if (rows.empty()) return path + ": no campaign yet";
  const json& row = rows.front();
  const std::string campaign = report::field(row, "campaign");
  if (archive->ledger().latest_resumable())
    advice.add("harness run --resume --budget 5m", "goes on with what was cut short");
  advice.add("harness serve", "all that was recorded, live, in a browser");
  return fmt::format("{}: campaign {}{} is the newest, begun {}", path, campaign,
                     row.at("name").is_string() ? " (" + report::field(row, "name") + ")" : "",
                     report::date(row.value("begun", json())));
}

/// What the line of a part says, or the sentence that is wrong with it.
template <typename Line>
std::string or_error(Line line) {
  try {
    return line();
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace

int print_status(Shell& shell) {
  const ProgramVersion& program = shell.rooms.program;
  report::tell("harness {} ({}): makes CUDA kernels faster within a budget, and keeps the record\n\n", program.number,
               program.revision);
  Advice advice;
  Ready ready;
  std::vector<std::string> kernels;
  std::vector<DeviceInfo> devices;
  say("devices", or_error([&] {
        devices = shell.rooms.devices(shell.places());
        return devices_line(devices, ready);
      }));
  say("compilers", compilers_line(devices));
  say("kernels", or_error([&] {
        kernels = shell.rooms.catalog(shell.places())->kernel_names();
        return kernels.empty() ? std::string("none; harness init makes a project with a first one")
                               : fmt::format("{}", fmt::join(kernels, ", "));
      }));
  say("store", or_error([&] { return store_line(shell, advice); }));
  say("agents", agents_line());
  const bool shipped = std::ranges::find(kernels, "softmax") != kernels.end();
  const std::string kernel = kernels.empty() ? "" : shipped ? "softmax" : kernels.front();
  if (!ready.any) {
    advice.add("harness doctor", "what is missing here, and what mends it");
    if (!kernel.empty())
      advice.add("harness variants " + kernel, "what was written for a kernel: reading needs no device");
  } else {
    if (!kernel.empty())
      advice.add(fmt::format("harness run {}{} --budget 1m", kernel, ready.gpu ? "" : " --device cpu"),
                 "tries its variants for a minute");
    advice.add("harness demo", "a minute that shows what this does, on this machine");
    advice.add("harness adopt FILE.cu", "makes a kernel of a CUDA source of yours");
  }
  constexpr std::size_t kCommands = 3;  // more would be a list to read, and --help has that
  advice.commands.resize(std::min(advice.commands.size(), kCommands));
  report::out("\n");
  report::Table table{{"try", ""}, {}};
  for (const auto& [command, what] : advice.commands) table.rows.push_back({command, what});
  report::out("{}\nharness --help has all commands; harness doctor says what is missing here.\n",
              report::aligned(table));
  return 0;
}

}  // namespace harness
