#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/report/out.h"
#include "harness/service/new_problem.h"
#include "harness/service/templates/templates.h"

namespace fs = std::filesystem;

namespace harness {
namespace {

/// The folder that a template's path is below: one that was named for its kind (--kernels, --strategies), else the
/// project's.
fs::path place_of_template(const TemplateFile& file, const Shell& shell, const Places& places) {
  const fs::path path = file.path;
  if (path.is_absolute()) return path;
  const std::string part = path.begin()->string();
  const std::vector<std::string>& named = part == "kernels" ? shell.more_kernels : shell.more_strategies;
  if (part != "playbook" && !named.empty()) return fs::canonical(named.back()) / path.lexically_relative(part);
  if (places.own.empty())
    throw bad_input(fmt::format("this folder is in no project; make one with harness init{}",
                                part == "playbook" ? "" : fmt::format(", or name a folder with --{} DIR", part)));
  return fs::path(places.own) / path;
}

/// Two folders with the same kernel would hide each other.
void refuse_known_kernel(const NewArguments& arguments, Shell& shell, const Places& places) {
  if (arguments.kind != "kernel") return;
  const std::vector<std::string> known = shell.rooms.catalog(places)->kernel_names();
  if (std::find(known.begin(), known.end(), arguments.name) != known.end())
    throw bad_input(fmt::format("a kernel '{}' exists already (harness kernels); choose another name", arguments.name));
}

const Scaffold& scaffold_of(const std::string& kind) {
  std::vector<std::string> known;
  for (const Scaffold& scaffold : scaffolds()) {
    if (kind == scaffold.kind) return scaffold;
    known.emplace_back(scaffold.kind);
  }
  throw bad_input(
      fmt::format("'{}' cannot be started; use {}{}", kind, fmt::join(known, ", "), did_you_mean(kind, known)));
}

int make_problem(const NewArguments& arguments, Shell& shell) {
  if (arguments.kind != "kernel") throw bad_input("--from belongs to new kernel: it reads a problem");
  const Places places = shell.places();
  refuse_known_kernel(arguments, shell, places);
  const std::string folder = place_of_template({"kernels/" + plain_name(arguments), ""}, shell, places).string();
  const NewProblem made = new_problem(arguments, folder, shell);
  for (const std::string& line : made.lines) report::tell("{}\n", line);
  for (const std::string& path : made.files) report::out("{}\n", path);
  report::err("next: write variants/00_naive.cu, or harness eval {} 00_naive --source FILE\n", arguments.name);
  return 0;
}

int make_new(const NewArguments& arguments, Shell& shell) {
  const Scaffold& scaffold = scaffold_of(arguments.kind);
  if (!arguments.from.empty()) return make_problem(arguments, shell);
  if (!arguments.sizes.empty() || !arguments.settings.empty())
    throw bad_input("--size and --set belong to new kernel NAME --from FILE");
  if (!arguments.campaign.empty() && arguments.kind != "pattern")
    throw bad_input("--campaign belongs to new pattern: it starts a page from what happened there");
  const Places places = shell.places();
  refuse_known_kernel(arguments, shell, places);
  const std::string stem = arguments.name.substr(arguments.name.rfind('/') + 1);
  std::vector<TemplateFile> files = scaffold.files(arguments, shell);
  for (TemplateFile& file : files)
    file = {place_of_template(file, shell, places).string(), fill_in(file.text, {{"NAME", stem}})};
  write_new_files(files);
  for (const TemplateFile& file : files) report::out("{}\n", file.path);
  std::string next = fill_in(scaffold.next, {{"NAME", arguments.name}});
  if (arguments.kind == "kernel" && !shell.more_kernels.empty()) next += " --kernels " + shell.more_kernels.back();
  report::err("next: {}\n", next);
  return 0;
}

std::string kinds_text() {
  std::string text;
  for (const Scaffold& scaffold : scaffolds()) {
    text += text.empty() ? "" : ", ";
    text += scaffold.kind;
    if (std::string(scaffold.name) != "NAME") text += fmt::format(" (as {})", scaffold.name);
  }
  return text;
}

}  // namespace

void define_new(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<NewArguments>();
  add_plugin_options(app, shell);
  app.add_option("kind", arguments->kind, kinds_text())->required()->type_name("KIND");
  app.add_option("name", arguments->name, "Its name")->required()->type_name("NAME");
  add_db_option(app, shell);
  app.add_option("--from", arguments->from,
                 "kernel: a problem without one, from a definition of FlashInfer-Bench or SOL-ExecBench (.json), or a "
                 "Python file with a Model or a reference (.py)")
      ->type_name("FILE");
  app.add_option("--size", arguments->sizes, "kernel --from: the value of a size that is timed")->type_name("NAME=V");
  app.add_option("--set", arguments->settings, "kernel --from: what the file does not say, such as eps=1e-6")
      ->type_name("NAME=V");
  app.add_option("--campaign", arguments->campaign,
                 "pattern: begin with what happened in this campaign (its number, its name, or latest)")
      ->type_name("CAMPAIGN");
  action = [arguments, &shell] { return make_new(*arguments, shell); };
}

}  // namespace harness
