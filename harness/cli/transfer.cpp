#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/flashinfer/write.h"
#include "harness/package/folder/files.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/simulate/as_export.h"
#include "harness/simulate/read_space.h"

namespace harness {
namespace {

struct TransferArguments {
  std::string file, flashinfer, kernels;
  bool emulated = false, outside = false;
  std::int64_t campaign = 0;
  bool lean = false;
  ImportOptions import;
};

/// "1 campaign", "2 campaigns".
std::string counted(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Whole or not at all, into a folder that is new or empty.
void write_dataset(const std::string& folder, const std::map<std::string, std::string>& files) {
  package::PackageFiles all(files.begin(), files.end());
  package::write_package(folder, all);
}

int export_flashinfer(const TransferArguments& arguments, Shell& shell) {
  const Places places = shell.places();
  const auto catalog = shell.rooms.formula_catalog(places);
  std::vector<std::string> kernels = split_commas(arguments.kernels);
  for (const std::string& kernel : kernels) catalog->kernel(kernel);
  if (kernels.empty()) kernels = catalog->kernel_names();
  const auto archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::read);
  const flashinfer::Exported made = flashinfer::export_dataset(*archive, *catalog, kernels, arguments.emulated,
                                                               fmt::format("harness {}", shell.rooms.program.number));
  write_dataset(arguments.flashinfer, made.files);
  for (const std::string& each : made.left_out) report::err("harness: left out: {}\n", report::clean(each));
  report::err("{}, {}, {} and {} written to {}\n", counted(made.definitions, "definition"),
              counted(made.workloads, "workload"), counted(made.solutions, "solution"), counted(made.traces, "trace"),
              arguments.flashinfer);
  return 0;
}

}  // namespace

void define_export(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<TransferArguments>();
  auto* file = app.add_option("file", arguments->file, "Where to write; - is standard output")->type_name("FILE");
  app.add_option("--flashinfer", arguments->flashinfer,
                 "Instead: winners, originals and their times as a FlashInfer-Bench data set in this new folder")
      ->type_name("DIR")
      ->excludes(file);
  app.add_option("--kernel", arguments->kernels, "With --flashinfer: only these kernels, with commas between them")
      ->type_name("NAMES");
  app.add_flag("--emulated", arguments->emulated, "With --flashinfer: also times of the cpu device");
  app.add_option("--campaign", arguments->campaign, "Only this campaign");
  app.add_flag("--lean", arguments->lean,
               "Leave out raw samples, compiler logs, the evidence of gates that passed, and these gates where a time "
               "is unconfirmed");
  add_db_option(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] {
    if (!arguments->flashinfer.empty()) return export_flashinfer(*arguments, shell);
    if (arguments->file.empty()) throw bad_input("name a file to write, or a folder with --flashinfer");
    std::error_code none;
    const std::string stem = arguments->file.substr(0, arguments->file.rfind('-'));  // STORE-wal, STORE-shm
    for (const std::string& path : {arguments->file, stem})
      if (std::filesystem::equivalent(path, shell.store_path(), none))
        throw bad_input(fmt::format("'{}' is the store itself; name another file to export to", arguments->file));
    ExportOptions options;
    if (arguments->campaign > 0) options.campaign = arguments->campaign;
    options.samples = options.logs = options.evidence = !arguments->lean;
    const auto archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::read);
    const bool printed = arguments->file == "-";
    const ExportReport written = printed ? archive->transfer().export_to(std::cout, options)
                                         : archive->transfer().export_to(arguments->file, options);
    if (printed && !std::cout.flush()) throw environment_error("standard output cannot be written; is its disk full?");
    report::err("{} with {} written to {}\n", counted(written.campaigns, "campaign"),
                counted(written.iterations, "iteration"), printed ? "standard output" : arguments->file);
    return 0;
  };
}

namespace {

/// What other tuners recorded is turned into our own text form first.
ImportReport import_file(Transfer& into, const std::string& file, const ImportOptions& options) {
  const bool ours = std::filesystem::is_regular_file(file) && simulate::begins_as_export(file);
  if (ours || !std::filesystem::is_regular_file(file)) return into.import_from(file, options);
  std::istringstream text(simulate::as_export(simulate::read_space(file), static_cast<double>(std::time(nullptr))));
  return into.import_from(text, file, options);
}

/// What was held against itself, and what could not be.
std::string looked_at(const ImportChecks& checks) {
  return fmt::format(
      "looked at: {} lie within their intervals and give the speedups; {} of them are medians of listed samples, {} "
      "have gates that passed, {} have a floor and are not below it; the rest is the file's word",
      counted(checks.times, "time"), checks.samples, checks.gates, checks.floors);
}

/// What the imported campaigns are good for from now on.
std::string standing(const ImportReport& added) {
  if (added.evidence > 0)
    return fmt::format("{} from now on as evidence",
                       added.evidence == 1 ? "1 counts" : fmt::format("{} count", added.evidence));
  if (!added.not_believed.empty()) return "what contradicts itself is kept, marked as imported, and no evidence";
  return added.campaigns == 0 ? "nothing has changed" : "marked as imported, no evidence (--as-evidence)";
}

}  // namespace

void define_import(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<TransferArguments>();
  app.add_option("file", arguments->file,
                 "What harness export wrote, a Kernel Tuner cache or a T4 file (these also as .gz)")
      ->required()
      ->type_name("FILE");
  app.add_flag(
      "--as-evidence", arguments->import.as_evidence,
      "Count it as this store's own evidence: bests, experience of strategies, figures of the playbook. Without "
      "this it is kept, shown and marked as imported, and counts for nothing");
  app.add_flag("--outside", arguments->outside,
               "FILE holds what other programs took on workloads, by their own measure: best and show name it beside "
               "ours, and nothing is decided by it (docs/record.md)")
      ->excludes("--as-evidence");
  add_db_option(app, shell);
  action = [arguments, &shell] {
    if (arguments->outside) {
      const auto archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::write);
      report::err("{} added\n", counted(archive->transfer().import_outside(arguments->file), "outside figure"));
      return 0;
    }
    const ImportReport added = import_file(shell.rooms.archive(shell.store_path(), ArchiveAccess::write)->transfer(),
                                           arguments->file, arguments->import);
    if (!added.whole)
      report::err(
          "{} has an older form, without counts and digest: if lines are missing at its end, that cannot be seen\n",
          arguments->file);
    for (const std::string& sentence : added.not_believed) report::err("{}\n", report::clean(sentence));
    if (added.checks.times > 0 && added.not_believed.empty()) report::err("{}\n", looked_at(added.checks));
    report::err("{} with {} added, {} there already; {}\n", counted(added.campaigns, "campaign"),
                counted(added.iterations, "iteration"), added.skipped, standing(added));
    return arguments->import.as_evidence && !added.not_believed.empty() ? 1 : 0;
  };
}

}  // namespace harness
