#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/package/folder/description.h"
#include "harness/package/folder/files.h"
#include "harness/package/folder/library.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/shipping/package_code.h"
#include "harness/shipping/package_signature.h"
#include "harness/system/files.h"
#include "harness/tune/table.h"

// package: the winners of a kernel as a folder that stands alone.
namespace harness {
namespace {

struct PackageArguments {
  std::string kernel, folder, workloads, device, architectures;
  std::vector<std::string> allow;
  std::size_t most_code = 0;
  std::string key;    // file of the private key that signs
  std::string table;  // file that harness tune wrote
  bool ptx = false, json = false;
};

package::Allowed parse_allowed(const std::vector<std::string>& options) {
  package::Allowed allowed;
  for (const std::string& word : split_commas(fmt::format("{}", fmt::join(options, ",")))) {
    if (word == "unconfirmed") allowed.unconfirmed = true;
    else if (word == "emulated") allowed.emulated = true;
    else if (word == "self-referenced") allowed.self_referenced = true;
    else
      throw bad_input(fmt::format(
          "--allow {}: there is unconfirmed, emulated and self-referenced, with commas between them", word));
  }
  return allowed;
}

/// What the launcher takes of a table that harness tune wrote.
package::TunedTable tuned_table(const std::string& file, const std::string& kernel, FormulaCatalog& catalog,
                                const std::vector<DeviceInfo>& devices) {
  const auto text = read_file_if_any(file);
  if (!text) throw bad_input(fmt::format("there is no table '{}'; harness tune {} --grid ... makes one", file, kernel));
  const tune::Table table = tune::read_table(parse_json_if_valid(*text), file);
  if (table.kernel != kernel)
    throw bad_input(fmt::format("{}: is a table of {}, not of {}", file, table.kernel, kernel));
  const auto device = std::ranges::find(devices, table.device_name, &DeviceInfo::name);
  if (device == devices.end())
    throw bad_input(fmt::format("{}: was measured on {}, and the record that is packaged on none of that name", file,
                                table.device_name));
  const std::vector<tune::Axis> axes = tune::parse_grid(table.grid).axes;
  package::TunedTable tuned;
  json tools = json::array();
  for (const tune::Entry& entry : table.entries) {
    json made_with = {{"driver", entry.tools.driver}, {"compiler", entry.tools.compiler}};
    if (std::ranges::find(tools, made_with) == tools.end()) tools.push_back(std::move(made_with));
    if (entry.original) {
      ++tuned.originals;
      continue;
    }
    catalog.plugin(kernel).add_shape(entry.shape, *device);
    const KernelInfo& info = catalog.kernel(kernel);
    package::TunedCell cell{table.device_name, entry.candidate, {}, {}};
    cell.at = *std::ranges::find(info.workloads, entry.shape, &Workload::name);
    for (std::size_t i = 0; i < axes.size(); ++i)
      cell.ranges.push_back({axes[i].sizes, entry.cell[i].first, entry.cell[i].second});
    tuned.cells.push_back(std::move(cell));
  }
  const json whole = tune::table_json(table);
  tuned.origin = {{"grid", table.grid},
                  {"others", table.others},
                  {"entries", table.entries.size()},
                  {"originals", tuned.originals},
                  {"expected_regret", whole.at("expected_regret")},
                  {"measured_regret", whole.at("measured_regret")},
                  {"largest_regret", whole.at("largest_regret")},
                  {"tools", tools}};
  return tuned;
}

/// The LICENSE of the project, or of the program.
std::string licence_text(const Places& places) {
  for (const std::string& folder : {places.project, places.home})
    if (!folder.empty())
      if (const auto text = read_file_if_any(folder + "/LICENSE")) return *text;
  return "";
}

/// "sm_90a, PTX compute_90"
std::string code_text(const package::Launcher& launcher) {
  std::string text = fmt::format("{}", fmt::join(launcher.architectures, ", "));
  for (const std::string& architecture : launcher.ptx_architectures) text += ", PTX " + architecture;
  return text;
}

/// "loses 1.2 % at points beside the grid, 4 % at most"
std::string regret_text(const json& origin) {
  if (origin.at("measured_regret").is_null())
    return fmt::format("expected to lose {:.1f} %, measured nowhere", 100 * origin.at("expected_regret").get<double>());
  return fmt::format("loses {:.1f} % at points beside the grid, {:.1f} % at most",
                     100 * origin.at("measured_regret").get<double>(), 100 * origin.at("largest_regret").get<double>());
}

void print_person(const package::PackageModel& model, const std::string& folder, const std::string& digest,
                  std::size_t files) {
  for (std::size_t i = 0; i < model.record.points.size(); ++i) {
    const package::MeasuredPoint& point = model.record.points[i];
    const int chosen = model.dispatch.chosen[i];
    if (chosen < 0) {
      report::out("{} on {}: the original, {}\n", point.workload.name, report::clean(point.device),
                  report::nanoseconds(point.original_ns));
      continue;
    }
    const package::MeasuredRun& run = point.runs[static_cast<std::size_t>(chosen)];
    report::out("{} on {}: {} {}, {} (the original {})\n", point.workload.name, report::clean(point.device),
                run.candidate.variant, report::clean(to_text(run.candidate.config)), report::nanoseconds(run.time_ns),
                report::nanoseconds(point.original_ns));
  }
  for (const package::DispatchCut& cut : model.dispatch.cuts)
    for (const package::DispatchCut::Cost& cost : cut.costs)
      report::out("left out: {} {}; {} runs {} in {} instead of {}\n", cut.candidate.variant,
                  report::clean(to_text(cut.candidate.config)), cost.workload, report::clean(cost.instead),
                  report::nanoseconds(cost.to_ns), report::nanoseconds(cost.from_ns));
  for (const std::string& each : model.left_out) report::err("harness: {}\n", report::clean(each));
  for (const std::string& each : model.dispatch.cells_left_out) report::err("harness: {}\n", report::clean(each));
  const package::TunedTable& table = model.record.table;
  if (!table.origin.is_null())
    report::out("table {}: {} cells, in {} of them the original; {}\n", table.origin.at("grid").get<std::string>(),
                table.cells.size() + table.originals, table.originals + model.dispatch.cells_left_out.size(),
                regret_text(table.origin));
  if (!model.record.stamps.empty()) report::out("stamped: {}\n", fmt::join(model.record.stamps, ", "));
  report::out("{}: {} files, {} configurations, for {}, digest {}\n", folder, files,
              model.launcher.configurations.size(), code_text(model.launcher), digest.substr(0, 16));
  report::err("next: harness verify {}\n", folder);
}

json package_json(const package::PackageModel& model, const std::string& folder, const std::string& digest) {
  json dispatch = json::array(), cuts = json::array(), variants = json::array();
  for (const package::DispatchRule& rule : model.launcher.rules)
    dispatch.push_back(package::rule_json(model.launcher, rule));
  for (const package::DispatchCut& cut : model.dispatch.cuts) cuts.push_back(package::cut_json(cut));
  for (const package::LauncherConfiguration& each : model.launcher.configurations)
    variants.push_back({{"variant", each.candidate.variant},
                        {"config", config_to_json(each.candidate.config)},
                        {"original", each.original}});
  return {{"package", folder},
          {"kernel", model.launcher.kernel},
          {"variants", variants},
          {"dispatch", dispatch},
          {"refused", model.record.refused},
          {"cuts", cuts},
          {"left_out", model.left_out},
          {"table", model.record.table.origin},
          {"cells_left_out", model.dispatch.cells_left_out},
          {"stamps", model.record.stamps},
          {"architectures", model.launcher.architectures},
          {"ptx", model.launcher.ptx_architectures},
          {"digest", digest}};
}

/// The module for PyTorch has its launcher compiled, where this machine can.
void add_library(package::PackageFiles& files, const std::string& name) {
  const package::BuiltLibrary built = package::build_library(files);
  if (built.bytes.empty()) {
    report::err(
        "harness: {}, so the package holds no compiled launcher: its Python module compiles one when it is first "
        "imported\n",
        report::clean(built.why_not));
    return;
  }
  files[package::library_path(name)] = built.bytes;
  json described = parse_json(files.at("kernel.json"));
  described["provenance"]["launcher_compiler"] = built.compiler;
  files["kernel.json"] = described.dump(1);
}

/// The option, else HARNESS_SIGNING_KEY; "": nobody signs.
std::string signing_key(const PackageArguments& arguments) {
  const char* const named = std::getenv("HARNESS_SIGNING_KEY");
  const std::string file = arguments.key.empty() && named != nullptr ? named : arguments.key;
  if (const std::string warning = warning_of(file); !warning.empty())
    report::err("harness: {}\n", report::clean(warning));
  return file;
}

int make(const PackageArguments& arguments, Shell& shell) {
  const Places places = shell.places();
  const auto catalog = shell.rooms.formula_catalog(places);
  catalog->kernel(arguments.kernel);
  std::error_code failed;
  if (std::filesystem::exists(arguments.folder, failed) && (!std::filesystem::is_directory(arguments.folder, failed) ||
                                                            !std::filesystem::is_empty(arguments.folder, failed)))
    throw bad_input(
        fmt::format("'{}' is there already and is not an empty folder; name another one", arguments.folder));
  const auto archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::read);
  package::RecordQuery query{arguments.kernel, split_commas(arguments.workloads), arguments.device,
                             parse_allowed(arguments.allow)};
  package::PackageRecord record = package::read_record(*archive, *catalog, query);
  for (const std::string& sentence : record.refused) report::err("harness: {}\n", report::clean(sentence));
  if (!arguments.table.empty()) record.table = tuned_table(arguments.table, arguments.kernel, *catalog, record.devices);
  PackageCompilers compilers(shell, places, architectures_of(split_commas(arguments.architectures), record.devices),
                             arguments.ptx);
  const ProgramVersion& program = shell.rooms.program;
  const std::string title = fmt::format("harness {}", program.number);
  const package::PackageModel model = package::make_package(*catalog, compilers.maker(), arguments.kernel,
                                                            std::move(record), arguments.most_code, title);
  package::PackageFiles files =
      package::package_files(model, *catalog, *archive, {title, program.revision, licence_text(places)},
                             catalog->plugin(arguments.kernel).folder(), places.include_folder);
  add_library(files, package::launcher_name(arguments.kernel));
  const std::string digest = end_package(files, signing_key(arguments));
  package::write_package(arguments.folder, files);
  if (arguments.json) report::out_json(package_json(model, arguments.folder, digest));
  else print_person(model, arguments.folder, digest, files.size());
  return 0;
}

}  // namespace

void define_package(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<PackageArguments>();
  app.add_option("kernel", arguments->kernel, "The kernel")->required()->type_name("KERNEL");
  app.add_option("-o,--output", arguments->folder, "The folder to make")->required()->type_name("DIR");
  app.add_option("--workload", arguments->workloads, "Only these workloads or sets, with commas between them")
      ->type_name("NAMES");
  app.add_option("--device", arguments->device, "Only what was measured on a device of this name")->type_name("NAME");
  app.add_option("--arch", arguments->architectures,
                 "Architectures to compile for, as nvcc names them; default: those that were measured")
      ->type_name("NAMES");
  app.add_flag("--ptx", arguments->ptx, "Also PTX, for GPUs that are newer than what was measured");
  app.add_option("--max-code", arguments->most_code,
                 "No more configurations than this beside the original; says what each cut costs")
      ->type_name("N");
  app.add_option("--table", arguments->table,
                 "A table that harness tune wrote: its cells say what runs between the measured points")
      ->type_name("FILE");
  app.add_option("--allow", arguments->allow, "Also what is unconfirmed, emulated or self-referenced; it is stamped")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("KINDS");
  app.add_option("--sign", arguments->key,
                 "Private key (PEM, Ed25519) to sign with; else the file that HARNESS_SIGNING_KEY names, if any")
      ->type_name("FILE");
  app.add_flag("--json", arguments->json, "One JSON object");
  add_db_option(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] { return make(*arguments, shell); };
}

}  // namespace harness
