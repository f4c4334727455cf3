#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/simulate/as_export.h"
#include "harness/simulate/read_space.h"

namespace harness {
namespace {

struct TransferArguments {
  std::string file;
  std::int64_t campaign = 0;
  bool lean = false;
};

/// "1 campaign", "2 campaigns".
std::string counted(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

void define_export(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<TransferArguments>();
  app.add_option("file", arguments->file, "Where to write; - is standard output")->required()->type_name("FILE");
  app.add_option("--campaign", arguments->campaign, "Only this campaign");
  app.add_flag("--lean", arguments->lean,
               "Leave out raw samples, compiler logs, the evidence of gates that passed, and these gates where a time "
               "is unconfirmed");
  add_db_option(app, shell);
  action = [arguments, &shell] {
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
    fmt::print(stderr, "{} with {} written to {}\n", counted(written.campaigns, "campaign"),
               counted(written.iterations, "iteration"), printed ? "standard output" : arguments->file);
    return 0;
  };
}

namespace {

/// What other tuners recorded is turned into our own text form first.
ImportReport import_file(Transfer& into, const std::string& file) {
  const bool ours = std::filesystem::is_regular_file(file) && simulate::begins_as_export(file);
  if (ours || !std::filesystem::is_regular_file(file)) return into.import_from(file);
  std::istringstream text(simulate::as_export(simulate::read_space(file), static_cast<double>(std::time(nullptr))));
  return into.import_from(text, file);
}

}  // namespace

void define_import(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<TransferArguments>();
  app.add_option("file", arguments->file,
                 "What harness export wrote, a Kernel Tuner cache or a T4 file (these also as .gz)")
      ->required()
      ->type_name("FILE");
  add_db_option(app, shell);
  action = [arguments, &shell] {
    const ImportReport added =
        import_file(shell.rooms.archive(shell.store_path(), ArchiveAccess::write)->transfer(), arguments->file);
    std::fprintf(stderr, "%s\n",
                 fmt::format("{} with {} added, {} there already", counted(added.campaigns, "campaign"),
                             counted(added.iterations, "iteration"), added.skipped)
                     .c_str());
    return 0;
  };
}

}  // namespace harness
