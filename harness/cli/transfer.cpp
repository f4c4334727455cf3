#include <fmt/format.h>

#include <memory>

#include "harness/cli/command.h"
#include "harness/store/transfer.h"

namespace harness {
namespace {

struct TransferArguments {
  std::string file;
  std::int64_t campaign = 0;
  bool lean = false;
};

}  // namespace

void define_export(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<TransferArguments>();
  app.add_option("file", arguments->file, "Where to write")->required()->type_name("FILE");
  app.add_option("--campaign", arguments->campaign, "Only this campaign");
  app.add_flag("--lean", arguments->lean, "Leave raw samples and compiler logs out");
  add_db_option(app, shell);
  action = [arguments, &shell] {
    store::ExportOptions options;
    if (arguments->campaign > 0) options.campaign = arguments->campaign;
    options.samples = options.logs = !arguments->lean;
    store::export_store(*store::Store::open(shell.store_path(), store::Mode::read_only), arguments->file, options);
    return 0;
  };
}

void define_import(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<TransferArguments>();
  app.add_option("file", arguments->file, "What harness export wrote")->required()->type_name("FILE");
  add_db_option(app, shell);
  action = [arguments, &shell] {
    const store::ImportReport added = store::import_store(*store::Store::open(shell.store_path(), store::Mode::read_write), arguments->file);
    std::fprintf(stderr, "%s\n", fmt::format("{} campaigns with {} iterations added, {} were there already", added.campaigns,
                                             added.iterations, added.skipped).c_str());
    return 0;
  };
}

}  // namespace harness
