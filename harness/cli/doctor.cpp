#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>

#include "harness/cli/asking.h"
#include "harness/core/error.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/service/machine_findings.h"
#include "harness/system/files.h"
#include "harness/tune/run.h"

// doctor: what is here, what is missing, what then goes unchecked, and the command that mends it.
namespace harness {
namespace {

constexpr std::size_t kDoctorIndent = 28;  // columns before a finding's text

const char* word_of(Health health) {
  return health == Health::well ? "ok" : health == Health::missing ? "lacks" : "WRONG";
}

/// One line, and below it what goes unchecked and what mends it; wrapped in the column of its text.
void print_finding(const MachineFinding& finding) {
  const auto width = report::terminal_columns();
  const auto print = [&](const std::string& head, const std::string& text) {
    const std::size_t room = width && *width > kDoctorIndent + 20 ? *width - kDoctorIndent : std::string::npos;
    bool first = true;
    for (const std::string& part : report::pieces(report::clean(text), room)) {
      report::out("{:<{}}{}\n", first ? head : "", kDoctorIndent, part);
      first = false;
    }
  };
  print(fmt::format("{:<8} {:<18} ", word_of(finding.health), finding.what), finding.found);
  if (!finding.unchecked.empty()) print("", "goes unchecked: " + finding.unchecked);
  if (!finding.mend.empty()) print("", "to mend it: " + finding.mend);
}

/// What can be done here, and what not: the sum of the list for who does not want to read it.
void print_abilities(const std::vector<MachineFinding>& all, Shell& shell) {
  const auto well = [&](const char* what) {
    return std::ranges::any_of(
        all, [&](const MachineFinding& each) { return each.what == what && each.health == Health::well; });
  };
  bool times = false, tries = false;
  for (const DeviceInfo& device : shell.rooms.devices(shell.places())) {
    times = times || (device.available && !device.emulation);
    tries = tries || (device.available && device.emulation);
  }
  std::vector<std::string> can, cannot;
  (tries || times ? can : cannot).emplace_back("check and evaluate kernels");
  (tries ? can : cannot).emplace_back("predict a GPU's times and profile by counting");
  (well("NVRTC") ? can : cannot).emplace_back("compile for GPUs and package winners");
  (times ? can : cannot).emplace_back("time on a GPU");
  report::tell("\nhere you can: {}\n", fmt::join(can, "; "));
  if (!cannot.empty()) report::tell("here you cannot: {}\n", fmt::join(cannot, "; "));
}

/// The tables of harness tune that lie here: how many of their entries were measured under other conditions.
std::vector<MachineFinding> tables_here(Shell& shell) {
  std::vector<MachineFinding> findings;
  std::error_code none;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(".", none))
    if (entry.path().string().ends_with(".tune.json")) files.push_back(entry.path().filename().string());
  std::ranges::sort(files);
  for (const std::string& file : files) {
    MachineFinding finding{file, Health::well, ""};
    try {
      const tune::Table table = tune::read_table(parse_json_if_valid(read_file(file)), file);
      const std::vector<tune::Stale> stale = tune::stale_entries(table, shell);
      finding.found = fmt::format("{} of {} entries are stale", stale.size(), table.entries.size());
      if (!stale.empty()) {
        finding.health = Health::missing;
        finding.found += ": " + stale.front().why.front();
        finding.mend = fmt::format("harness tune {} --refresh", file);
      }
    } catch (const Error& why) {
      finding.health = Health::missing;
      finding.found = why.what();
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

int doctor(Shell& shell, bool verify, bool as_json) {
  std::vector<MachineFinding> all = machine_findings(shell, verify);
  std::ranges::move(tables_here(shell), std::back_inserter(all));
  bool wrong = false;
  json rows = json::array();
  for (const MachineFinding& each : all) {
    wrong = wrong || each.health == Health::wrong;
    rows.push_back({{"what", each.what},
                    {"state", each.health == Health::well      ? "ok"
                              : each.health == Health::missing ? "missing"
                                                               : "wrong"},
                    {"found", each.found},
                    {"unchecked", text_or_null(each.unchecked)},
                    {"mend", text_or_null(each.mend)}});
    if (as_json) continue;
    print_finding(each);
  }
  if (as_json) report::out_json(rows);
  else print_abilities(all, shell);
  return wrong ? 1 : 0;
}

}  // namespace

void define_doctor(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto verify = std::make_shared<bool>(false);
  auto as_json = std::make_shared<bool>(false);
  app.add_flag("--verify", *verify, "Read the whole store as well: every page, index and reference");
  app.add_flag("--json", *as_json, "One array of objects: what, state, found, unchecked, mend");
  add_db_option(app, shell);
  add_plugin_options(app, shell);
  action = [verify, as_json, &shell] { return doctor(shell, *verify, *as_json); };
}

}  // namespace harness
